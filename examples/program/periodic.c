/* A program that does the same again and again, and knows nothing of irqscope: each 2000 cycles it
 * samples a sensor, then takes the samples in, with interrupts off where it updates what a handler
 * shares. Addresses: docs/programs.md. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define MTIME REGISTER(0x200BFF8)
#define OUTPUT REGISTER(0x10012000) /* a plain register: it takes the line back */
#define SENSOR REGISTER(0x10012004)

#define PERIOD 2000 /* cycles */
#define LINE_0 16   /* cause of mcause */
#define MSTATUS_MIE 8

static volatile uint32_t events, sum, count;
volatile uint32_t average;

__attribute__((interrupt, aligned(4))) static void on_line(void) {
    events++;
    OUTPUT = events;
}

/* Jumps for a vectored mtvec: line 0 is its entry 16. No other interrupt is on. */
__attribute__((naked, aligned(256))) static void vectors(void) {
    __asm__ volatile(".option push\n.option norvc\n"
                     ".rept 16\nj .\n.endr\n"
                     "j %0\n"
                     ".option pop" ::"i"(on_line));
}

__attribute__((noinline)) uint32_t sample(void) {
    uint32_t found = 0;
    for (unsigned n = 0; n < 16; n++)
        found += SENSOR;
    return found;
}

__attribute__((noinline)) void take_in(uint32_t found) {
    __asm__ volatile("csrc mstatus, %0" ::"r"(MSTATUS_MIE));
    sum += found;
    count++;
    __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE));
    average = sum / count;
}

__attribute__((noreturn, used)) static void run(void) {
    __asm__ volatile("csrw mtvec, %0" ::"r"((uintptr_t)vectors | 1));
    __asm__ volatile("csrw mie, %0" ::"r"(1u << LINE_0));
    __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE));
    for (uint32_t next = PERIOD;; next += PERIOD) {
        while ((int32_t)(MTIME - next) < 0) {
        }
        take_in(sample());
    }
}

__attribute__((naked, section(".start"), used)) void _start(void) {
    __asm__ volatile("la sp, call_stack_top\nj %0" ::"i"(run));
}
