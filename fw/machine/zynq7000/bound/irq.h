/* The PL390 interrupt controller and its inputs. */
#ifndef MACHINE_ZYNQ7000_BOUND_IRQ_H
#define MACHINE_ZYNQ7000_BOUND_IRQ_H

#include "bound/uart.h"
#include "machine/zynq/irq.h"

/* The interrupt of the UART whose pins are set up (bound/uart.h). */
#define IRQ_LINK (uart_number() == 0 ? MACHINE_UART0_ID : MACHINE_UART1_ID)

/* Whether there is an interrupt with this ID. */
static inline bool irq_exists(unsigned id) {
    static const uint32_t existing[] = {MACHINE_EXISTING_IDS};
    return (existing[id / 32] >> (id % 32) & 1) != 0;
}

#endif
