/* The UART of the link and its reference clock. */
#ifndef MACHINE_ZYNQMP_BOUND_UART_H
#define MACHINE_ZYNQMP_BOUND_UART_H

#include "bound/addresses.h"
#include "lib/mmio.h"

/* UART1 on a KV260, whose program is one of its own; UART0 elsewhere. */
#define UART_BASE (LINK_UART ? UART1_BASE : UART0_BASE)

#define UART0_REF_CTRL (CRL_APB_BASE + 0x74)
#define UART1_REF_CTRL (CRL_APB_BASE + 0x78)
/* 33.33 MHz x 90 / 2 of the ZCU102 preset (psu_init); 33.333 MHz of the KV260's module. */
#define IO_PLL_HZ (LINK_UART ? UINT32_C(1499985000) : UINT32_C(1499850000))

/* 0 without a clock controller. */
static inline uint32_t uart_reference_divisor(void) {
    uint32_t control = mmio_read32(LINK_UART ? UART1_REF_CTRL : UART0_REF_CTRL);
    return (control >> 8 & 0x3F) * (control >> 16 & 0x3F);
}

#endif
