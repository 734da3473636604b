/* STM32F446, ST RM0390. 180 MHz: HSE 8 MHz / 4 x 180 / 2, over-drive, 5 wait states, prefetch, both
 * caches. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define RCC_CR REGISTER(0x40023800)
#define RCC_PLLCFGR REGISTER(0x40023804)
#define RCC_CFGR REGISTER(0x40023808)
#define RCC_APB1ENR REGISTER(0x40023840)
#define PWR_CR REGISTER(0x40007000)
#define PWR_CSR REGISTER(0x40007004)
#define FLASH_ACR REGISTER(0x40023C00)

uint32_t SystemCoreClock = 180000000;

static void set_and_wait(volatile uint32_t *control, uint32_t bit, volatile uint32_t *status,
                         uint32_t ready) {
    *control |= 1u << bit;
    while (!(*status & 1u << ready)) {
    }
}

void set_clocks(void) {
    RCC_APB1ENR |= 1u << 28;                /* PWR */
    set_and_wait(&RCC_CR, 16, &RCC_CR, 17); /* HSE */
    RCC_PLLCFGR = 4 | 180u << 6 | 1u << 22 | 7u << 24;
    set_and_wait(&PWR_CR, 16, &PWR_CSR, 16); /* over-drive, */
    set_and_wait(&PWR_CR, 17, &PWR_CSR, 17); /* and its switch */
    set_and_wait(&RCC_CR, 24, &RCC_CR, 25);  /* PLL */
    FLASH_ACR = 5 | 7u << 8;
    RCC_CFGR = 2 | 5u << 10 | 4u << 13; /* PLL; APB1 / 4, APB2 / 2 */
    while ((RCC_CFGR >> 2 & 3) != 2) {
    }
}
