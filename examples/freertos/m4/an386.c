/* MPS2 with AN386: 25 MHz after reset. */
#include <stdint.h>

uint32_t SystemCoreClock = 25000000;

void set_clocks(void) {}
