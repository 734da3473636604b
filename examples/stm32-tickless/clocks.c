/* 100 MHz: HSE 8 MHz / 4 x 100 / 2, 3 wait states, prefetch and both caches. After STOP the HSI
 * runs at 16 MHz, and this starts HSE and PLL again. */
#include "chip.h"

uint32_t SystemCoreClock = 100000000;

void set_clocks(void) {
    RCC_CR |= 1u << 16; /* HSE */
    while (!(RCC_CR & 1u << 17)) {
    }
    RCC_PLLCFGR = 4 | 100u << 6 | 1u << 22 | 4u << 24;
    RCC_CR |= 1u << 24; /* PLL */
    while (!(RCC_CR & 1u << 25)) {
    }
    FLASH_ACR = 3 | 7u << 8;
    RCC_CFGR = 2 | 4u << 10; /* PLL; APB1 / 2 */
    while ((RCC_CFGR >> 2 & 3) != 2) {
    }
}
