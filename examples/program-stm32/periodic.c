/* A program for an STM32F446 that does the same again and again, at the 16 MHz after reset: it
 * takes a sample, waits a little, and takes it in, with interrupts off where it updates what a
 * handler shares. It knows nothing of irqscope. */
#include <stdint.h>

#define NVIC_ISER1 (*(volatile uint32_t *)0xE000E104)
#define EXTI15_10 40

static volatile uint32_t events, sum, count;
volatile uint32_t average;

void exti15_10(void) { events++; }

__attribute__((noinline)) static void pass_time(unsigned rounds) {
    for (unsigned n = 0; n < rounds; n++)
        __asm volatile("nop");
}

__attribute__((noinline)) uint32_t sample(void) {
    pass_time(4);
    return events;
}

__attribute__((noinline)) void take_in(uint32_t found) {
    __asm volatile("cpsid i");
    sum += found;
    count++;
    __asm volatile("cpsie i");
    average = sum / count;
}

__attribute__((noreturn)) void run(void) {
    NVIC_ISER1 = 1u << (EXTI15_10 - 32);
    for (;;) {
        take_in(sample());
        pass_time(40);
    }
}
