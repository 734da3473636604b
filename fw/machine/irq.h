/* Interrupts: set up, acknowledge, end, make pending, read back. By ID, as the machine's controller
 * counts them; which of them are whose stands in the machine's description.
 *
 * What a controller has to bring (irqchip/): enum irq_sense, the functions irq_*, and the numbers
 * IRQ_IDS, IRQ_FIRST_PRIVATE, IRQ_FIRST_SHARED, IRQ_FIRST_SPECIAL, IRQ_ID_MASK and IRQ_PRIORITY_*.
 * A machine adds IRQ_LINK, IRQ_TICK, IRQ_FINISHED, IRQ_PRIVATE and what the instrument drives. */
#ifndef MACHINE_IRQ_H
#define MACHINE_IRQ_H

#include "bound/irq.h"

#endif
