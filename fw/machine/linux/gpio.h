/* Registers of the GPIO controller: mapped by UIO, or asked of a simulation by its socket. A page
 * of shared memory would not do for the latter: a store has an effect, and of two stores between
 * two looks at the page one would be lost. */
#ifndef MACHINE_LINUX_GPIO_H
#define MACHINE_LINUX_GPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern volatile uint32_t *gpio_registers; /* NULL: simulated */

uint32_t gpio_ask(unsigned offset);
void gpio_tell(unsigned offset, uint32_t value);

static inline uint32_t gpio_read(unsigned offset) {
    return gpio_registers != NULL ? gpio_registers[offset / 4] : gpio_ask(offset);
}

static inline __attribute__((always_inline)) void gpio_write(unsigned offset, uint32_t value) {
    if (gpio_registers != NULL)
        gpio_registers[offset / 4] = value;
    else
        gpio_tell(offset, value);
}

#endif
