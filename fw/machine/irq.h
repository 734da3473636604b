/* Interrupts: set up, acknowledge, end, make pending, read back. An interrupt has the ID that the
 * machine's controller gives it; the machine's description tells whose ID it is.
 *
 * What a controller has to bring (irqchip/): enum irq_sense, the functions irq_*, and the
 * numbers IRQ_IDS, IRQ_FIRST_PRIVATE, IRQ_FIRST_SHARED, IRQ_FIRST_SPECIAL, IRQ_ID_MASK and
 * IRQ_PRIORITY_*. A machine adds IRQ_LINK, IRQ_TIMER_TICK, IRQ_FINISHED, IRQ_PRIVATE and the
 * interrupts that the instrument drives. */
#ifndef MACHINE_IRQ_H
#define MACHINE_IRQ_H

#include "bound/irq.h"

#endif
