/* The APU's GIC-400 and its inputs. */
#ifndef MACHINE_ZYNQMP_BOUND_IRQ_H
#define MACHINE_ZYNQMP_BOUND_IRQ_H

#include "machine/zynq/irq.h"

/* UART0; UART1 is the next one. */
#define IRQ_LINK (MACHINE_LINK_ID + LINK_UART)

/* Whether there is an interrupt with this ID. */
static inline bool irq_exists(unsigned id) {
    return id < IRQ_FIRST_PRIVATE || id >= IRQ_FIRST_USED_PRIVATE;
}

#endif
