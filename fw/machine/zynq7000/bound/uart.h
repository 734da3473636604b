/* The UART of the link and its reference clock. */
#ifndef MACHINE_ZYNQ7000_BOUND_UART_H
#define MACHINE_ZYNQ7000_BOUND_UART_H

#include "bound/addresses.h"
#include "lib/mmio.h"
#include "machine/uart.h"
#include "machine/zynq7000/slcr.h"

#define UART_BASE (uart_number() == 0 ? UART0_BASE : UART1_BASE)

/* DIVISOR of UART_CLK_CTRL; 0 without a clock controller. */
static inline uint32_t uart_reference_divisor(void) {
    return mmio_read32(SLCR_UART_CLK_CTRL) >> 8 & 0x3F;
}

#endif
