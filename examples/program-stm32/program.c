/* A program for an STM32F446 that knows nothing of irqscope: an edge at PC13 makes its handler
 * count and wake the main loop, which updates an average. PG0 is high in the handler, PG1 while
 * the main loop works, as somebody with an oscilloscope would have it. Registers: ST RM0390. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define RCC 0x40023800
#define PWR_CR REGISTER(0x40007000)
#define PWR_CSR REGISTER(0x40007004)
#define FLASH_ACR REGISTER(0x40023C00)
#define GPIOC_PUPDR REGISTER(0x4002080C)
#define GPIOG_MODER REGISTER(0x40021800)
#define GPIOG_BSRR REGISTER(0x40021818)
#define SYSCFG_EXTICR4 REGISTER(0x40013814)
#define EXTI_IMR REGISTER(0x40013C00)
#define EXTI_RTSR REGISTER(0x40013C08)
#define EXTI_PR REGISTER(0x40013C14)
#define NVIC_ISER1 REGISTER(0xE000E104)
#define EXTI15_10 40
#define LINE (1u << 13)

static volatile uint32_t events;
uint32_t average;

__attribute__((noinline)) static void on_line(void) { events++; }

void exti15_10(void) {
    GPIOG_BSRR = 1u << 0;
    EXTI_PR = LINE;
    on_line();
    GPIOG_BSRR = 1u << 16;
}

__attribute__((noinline)) static void update(uint32_t seen) { average += (seen - average) / 8; }

/* 180 MHz: HSE 8 MHz / 8 x 360 / 2, over-drive, 5 wait states, prefetch and both caches. */
static void set_clocks(void) {
    REGISTER(RCC + 0x40) |= 1u << 28; /* PWR */
    REGISTER(RCC) |= 1u << 16;        /* HSE on */
    while (!(REGISTER(RCC) & 1u << 17)) {
    }
    REGISTER(RCC + 0x04) = 8 | 360u << 6 | 0u << 16 | 1u << 22 | 7u << 24;
    REGISTER(RCC) |= 1u << 24; /* PLL on */
    PWR_CR |= 1u << 16;        /* over-drive, */
    while (!(PWR_CSR & 1u << 16)) {
    }
    PWR_CR |= 1u << 17; /* and its switch */
    while (!(PWR_CSR & 1u << 17)) {
    }
    while (!(REGISTER(RCC) & 1u << 25)) {
    }
    FLASH_ACR = 5 | 7u << 8;
    REGISTER(RCC + 0x08) = 2 | 5u << 10 | 4u << 13; /* PLL; APB1 / 4, APB2 / 2 */
    while ((REGISTER(RCC + 0x08) >> 2 & 3) != 2) {
    }
}

__attribute__((noreturn)) void run(void) {
    set_clocks();
    REGISTER(RCC + 0x30) |= 1u << 2 | 1u << 6; /* GPIOC, GPIOG */
    REGISTER(RCC + 0x44) |= 1u << 14;          /* SYSCFG */
    GPIOC_PUPDR |= 2u << 26;                   /* PC13 pulled down */
    GPIOG_MODER |= 1u << 0 | 1u << 2;          /* PG0, PG1 are outputs */
    SYSCFG_EXTICR4 = 2u << 4;                  /* EXTI13 is PC13 */
    EXTI_RTSR |= LINE;
    EXTI_IMR |= LINE;
    NVIC_ISER1 = 1u << (EXTI15_10 - 32);
    for (uint32_t seen = 0;;) {
        __asm volatile("cpsid i");
        if (events == seen)
            __asm volatile("wfi"); /* with interrupts off, so none is missed */
        __asm volatile("cpsie i");
        if (events != seen) {
            GPIOG_BSRR = 1u << 1;
            update(seen = events);
            GPIOG_BSRR = 1u << 17;
        }
    }
}
