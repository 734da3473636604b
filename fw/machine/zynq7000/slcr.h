/* System level control registers (UG585, module slcr). Writes are dropped until it is unlocked. */
#ifndef MACHINE_ZYNQ7000_SLCR_H
#define MACHINE_ZYNQ7000_SLCR_H

#include "bound/addresses.h"
#include "lib/mmio.h"

#define SLCR_ARM_PLL_CTRL (SLCR_BASE + 0x100)
#define SLCR_IO_PLL_CTRL (SLCR_BASE + 0x108)
#define SLCR_ARM_CLK_CTRL (SLCR_BASE + 0x120)
#define SLCR_UART_CLK_CTRL (SLCR_BASE + 0x154)
#define SLCR_FPGA0_CLK_CTRL (SLCR_BASE + 0x170)
#define SLCR_FPGA_RST_CTRL (SLCR_BASE + 0x240)
#define SLCR_MIO_PIN(pin) (SLCR_BASE + 0x700 + 4 * (pin))
#define SLCR_LVL_SHFTR_EN (SLCR_BASE + 0x900)

/* The value of all boards' presets, for either crystal: 30 x 33.33 MHz or 20 x 50 MHz. */
#define IO_PLL_HZ UINT32_C(1000000000)

static inline uint32_t slcr_feedback(uintptr_t pll_control) {
    return mmio_read32(pll_control) >> 12 & 0x7F;
}

static inline void slcr_unlock(void) { mmio_write32(SLCR_BASE + SLCR_UNLOCK, SLCR_KEY); }

#endif
