/* The UART of the link and its reference clock. */
#ifndef MACHINE_ZYNQMP_BOUND_UART_H
#define MACHINE_ZYNQMP_BOUND_UART_H

#include "bound/addresses.h"
#include "lib/mmio.h"

#define UART_BASE UART0_BASE

#define UART0_REF_CTRL (CRL_APB_BASE + 0x74)
/* 33.33 MHz x 90 / 2 of the ZCU102 preset (psu_init). */
#define IO_PLL_HZ UINT32_C(1499850000)

/* 0 where there is no clock controller. */
static inline uint32_t uart_reference_divisor(void) {
    uint32_t control = mmio_read32(UART0_REF_CTRL);
    return (control >> 8 & 0x3F) * (control >> 16 & 0x3F);
}

#endif
