/* EMIO side of the GPIO controller, which both Zynqs have (UG585, UG1087): two banks from
 * GPIO_EMIO_BANK on. MASK_DATA: bits 31:16 protect (0 = that bit is written), bits 15:0 are the
 * data.
 */
#ifndef MACHINE_ZYNQ_GPIO_H
#define MACHINE_ZYNQ_GPIO_H

#include "bound/addresses.h"
#include "lib/mmio.h"

#define GPIO_MASK_DATA_LSW(bank) (0x000 + 8 * (bank))
#define GPIO_MASK_DATA_MSW(bank) (0x004 + 8 * (bank))
#define GPIO_DATA(bank) (0x040 + 4 * (bank))
#define GPIO_DATA_RO(bank) (0x060 + 4 * (bank)) /* the input pins, not the output register */
#define GPIO_DIRM(bank) (0x204 + 0x40 * (bank))
#define GPIO_OEN(bank) (0x208 + 0x40 * (bank))

/* Markers and the port's controls; the port's data. */
#define GPIO_LOW GPIO_EMIO_BANK
#define GPIO_HIGH (GPIO_EMIO_BANK + 1)

/* Under Linux the controller has no fixed address (machine/linux/gpio.h). */
#ifdef GPIO_BASE
static inline uint32_t gpio_read(unsigned offset) { return mmio_read32(GPIO_BASE + offset); }

static inline void gpio_write(unsigned offset, uint32_t value) {
    mmio_write32(GPIO_BASE + offset, value);
}
#endif

/* Drives all of both banks. The levels stay: the controller keeps them over a reset of the
 * processor. */
static inline void gpio_init(void) {
    gpio_write(GPIO_DIRM(GPIO_LOW), UINT32_MAX);
    gpio_write(GPIO_OEN(GPIO_LOW), UINT32_MAX);
    gpio_write(GPIO_DIRM(GPIO_HIGH), UINT32_MAX);
    gpio_write(GPIO_OEN(GPIO_HIGH), UINT32_MAX);
}

#endif
