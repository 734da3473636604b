/* A program that knows nothing of irqscope: it answers a line of its board, counts, and wakes its
 * main loop, which updates an average. Addresses: docs/programs.md. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define OUTPUT REGISTER(0x10012000)            /* a plain register: it takes the line back */
#define UART (*(volatile uint8_t *)0x10000000) /* NS16550 */
#define UART_LSR (*(volatile uint8_t *)0x10000005)

#define LINE_0 16 /* cause of mcause */
#define MSTATUS_MIE 8

static volatile uint32_t events;
uint32_t average;

static void print(const char *text) {
    for (; *text; text++) {
        while ((UART_LSR & 0x20) == 0) {
        }
        UART = (uint8_t)*text;
    }
}

__attribute__((interrupt, aligned(4))) static void on_line(void) {
    events++;
    OUTPUT = events;
}

__attribute__((interrupt, aligned(4))) static void on_other(void) {
    print("an interrupt that nobody expects\n");
    for (;;) {
    }
}

/* 32 jumps, as a vectored mtvec wants them; entry 0 is that of exceptions. */
__attribute__((naked, aligned(256))) static void vectors(void) {
    __asm__ volatile(".option push\n.option norvc\n"
                     ".rept 16\nj %0\n.endr\n"
                     "j %1\n"
                     ".rept 15\nj %0\n.endr\n"
                     ".option pop" ::"i"(on_other),
                     "i"(on_line));
}

__attribute__((noinline)) void update(uint32_t seen) { average += (seen - average) / 8; }

__attribute__((noreturn, used)) static void run(void) {
    __asm__ volatile("csrw mtvec, %0" ::"r"((uintptr_t)vectors | 1));
    __asm__ volatile("csrw mie, %0" ::"r"(1u << LINE_0));
    print("ready\n");
    for (uint32_t seen = 0;;) {
        __asm__ volatile("csrc mstatus, %0" ::"r"(MSTATUS_MIE));
        if (events == seen)
            __asm__ volatile("wfi"); /* also wakes with interrupts off, so none is missed */
        __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE));
        if (events != seen)
            update(seen = events);
    }
}

__attribute__((naked, section(".start"), used)) void _start(void) {
    __asm__ volatile("la sp, call_stack_top\nj %0" ::"i"(run));
}
