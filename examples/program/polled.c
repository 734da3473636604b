/* program.c for a core with one interrupt and no wfi: RV32I, mtvec in direct mode, cause 7.
 *   make build/polled.elf CPU=generic_rv32+zicsr */
#include <stdint.h>

#define OUTPUT (*(volatile uint32_t *)0x10012000) /* a plain register: it takes the line back */
#define LINE_0 7                                  /* cause of mcause */
#define MSTATUS_MIE 8

static volatile uint32_t events;
uint32_t average;

__attribute__((interrupt, aligned(4))) static void on_line(void) {
    events++;
    OUTPUT = events;
}

__attribute__((noinline)) void update(uint32_t seen) { average += (seen - average) >> 3; }

__attribute__((noreturn, used)) static void run(void) {
    __asm__ volatile("csrw mtvec, %0" ::"r"((uintptr_t)on_line));
    __asm__ volatile("csrw mie, %0" ::"r"(1u << LINE_0));
    __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE));
    for (uint32_t seen = 0;;)
        if (events != seen)
            update(seen = events);
}

__attribute__((naked, section(".start"), used)) void _start(void) {
    __asm__ volatile("la sp, call_stack_top\nj %0" ::"i"(run));
}
