/* A program for the Cortex-A53 of a Zynq UltraScale+, or the Cortex-A9 of a Zynq-7000, that knows
 * nothing of irqscope: it answers a line of the FPGA, counts, and wakes its main loop, which
 * updates an average. Addresses and interrupt numbers: docs/programs.md. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#ifdef __aarch64__
#define DISTRIBUTOR 0xF9010000 /* GIC-400 */
#define INTERFACE 0xF9020000
#define UART 0xFF000000 /* UART0 */
#define LINE_0 121
#else
#define DISTRIBUTOR 0xF8F01000 /* PL390 */
#define INTERFACE 0xF8F00100
#define UART 0xE0001000 /* UART1 */
#define LINE_0 61
#endif

static volatile uint32_t events;
uint32_t average;

void wait_for_interrupt(void); /* with interrupts off, so none is missed */
void interrupts_off(void);
void interrupts_on(void);

static void print(const char *text) {
    REGISTER(UART + 0x00) = 0x14; /* receiver and transmitter on */
    REGISTER(UART + 0x04) = 0x20; /* 8N1 */
    for (; *text; text++) {
        while (REGISTER(UART + 0x2C) & 0x10) { /* FIFO full */
        }
        REGISTER(UART + 0x30) = (uint8_t)*text;
    }
}

__attribute__((noinline)) static void on_line(void) { events++; }

/* What the vector calls. */
void on_interrupt(void) {
    uint32_t taken = REGISTER(INTERFACE + 0x0C); /* acknowledge */
    if ((taken & 0x3FF) == LINE_0)
        on_line();
    REGISTER(INTERFACE + 0x10) = taken; /* end */
}

__attribute__((noinline)) void update(uint32_t seen) { average += (seen - average) / 8; }

__attribute__((noreturn)) void run(void) {
    uintptr_t word = LINE_0 / 32 * 4, field = LINE_0 / 16 * 4;
    REGISTER(DISTRIBUTOR + 0xC00 + field) |= 2u << LINE_0 % 16 * 2;        /* by rising edge */
    *(volatile uint8_t *)(uintptr_t)(DISTRIBUTOR + 0x400 + LINE_0) = 0xA0; /* priority */
    *(volatile uint8_t *)(uintptr_t)(DISTRIBUTOR + 0x800 + LINE_0) = 1;    /* for core 0 */
    REGISTER(DISTRIBUTOR + 0x100 + word) = 1u << LINE_0 % 32;              /* enabled */
    REGISTER(DISTRIBUTOR) = 1;
    REGISTER(INTERFACE + 4) = 0xF0; /* all priorities */
    REGISTER(INTERFACE) = 1;
    print("ready\n");
    for (uint32_t seen = 0;;) {
        interrupts_off();
        if (events == seen)
            wait_for_interrupt();
        interrupts_on();
        if (events != seen)
            update(seen = events);
    }
}
