/* EMIO side of the GPIO controller (UG1087): banks 3 and 4; bank 5, the PL's reset, is only read.
 * MASK_DATA: bits 31:16 protect (0 = that bit is written), bits 15:0 are the data. */
#ifndef MACHINE_ZYNQMP_GPIO_H
#define MACHINE_ZYNQMP_GPIO_H

#include "bound/addresses.h"
#include "lib/mmio.h"

#define GPIO_MASK_DATA_3_MSW 0x01C
#define GPIO_DATA_3 0x04C
#define GPIO_DATA_4 0x050
#define GPIO_DATA_3_RO 0x06C /* the input pins, not the output register */
#define GPIO_DATA_4_RO 0x070
#define GPIO_DIRM_3 0x2C4
#define GPIO_OEN_3 0x2C8
#define GPIO_DIRM_4 0x304
#define GPIO_OEN_4 0x308
#define GPIO_DATA_5 0x054
#define GPIO_DIRM_5 0x344
#define GPIO_OEN_5 0x348

static inline uint32_t gpio_read(unsigned offset) { return mmio_read32(GPIO_BASE + offset); }

static inline void gpio_write(unsigned offset, uint32_t value) {
    mmio_write32(GPIO_BASE + offset, value);
}

/* Drives all of banks 3 and 4. The levels stay: the controller keeps them over a reset of the
 * processor. */
static inline void gpio_init(void) {
    gpio_write(GPIO_DIRM_3, UINT32_MAX);
    gpio_write(GPIO_OEN_3, UINT32_MAX);
    gpio_write(GPIO_DIRM_4, UINT32_MAX);
    gpio_write(GPIO_OEN_4, UINT32_MAX);
}

#endif
