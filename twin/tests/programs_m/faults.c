/* One statement that fails, STATEMENT, on an STM32F446 (test_m4_refusals.py). */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define PUT(c) (REGISTER(0x40011004) = (uint32_t)(c))
#ifndef STACK
#define STACK 0x20010000
#endif

__attribute__((noreturn, used)) void done(void) {
    for (;;)
        __asm volatile("wfi");
}

void hard_fault(void) {
    for (const char *it = "end\n"; *it; it++)
        PUT(*it);
    done();
}

__attribute__((noreturn)) void start(void) {
    REGISTER(0x40023844) |= 1u << 4 | 1u << 12; /* USART1, SPI1 */
    REGISTER(0x4001100C) = 0x2008;
    STATEMENT;
    hard_fault();
    done();
}

__attribute__((section(".vectors"), used, aligned(128))) uint32_t vectors[16 + 16] = {
    STACK,
    (uint32_t)start,
    [3] = (uint32_t)hard_fault,
};
