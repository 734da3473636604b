/* An interrupt that meets a long run of one-cycle instructions, and pends another one. All
 * memory is without wait states, at 125 MHz: a cycle is two ticks of the instrument
 * (test_m4_timing.py). */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

__attribute__((naked)) void first(void) {
    __asm volatile(
        "movw r0, #0xE200\n movt r0, #0xE000\n movs r1, #2\n str r1, [r0]\n dsb\n" /* the second
                                                                                      pends */
        " .globl first_ends\nfirst_ends: bx lr");
}
__attribute__((naked)) void second(void) {
    __asm volatile("nop\n .globl second_ends\nsecond_ends: bx lr");
}

__attribute__((noreturn)) void start(void) {
    REGISTER(0x40023804) = 8 | 125u << 6; /* PLL: HSI / 8 x 125 / 2 */
    REGISTER(0x40023800) |= 1u << 24;
    while (!(REGISTER(0x40023800) & 1u << 25)) {
    }
    REGISTER(0x40023808) = 2;
    while ((REGISTER(0x40023808) >> 2 & 3) != 2) {
    }
    REGISTER(0xE000E100) = 3;
    __asm volatile(".globl ready\nready: nop");
    for (;;)
        __asm volatile(".rept 4000\n nop\n .endr");
}

__attribute__((section(".vectors"), used)) uint32_t vectors[16 + 2] = {
    0x20010000,
    (uint32_t)start,
    [16] = (uint32_t)first,
    (uint32_t)second,
};
