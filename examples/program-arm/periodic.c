/* A program for the same two machines as program.c that does the same again and again: it takes a
 * sample, waits a little, and takes it in, with interrupts off where it updates what a handler
 * shares. It knows nothing of irqscope. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#ifdef __aarch64__
#define DISTRIBUTOR 0xF9010000 /* GIC-400 */
#define INTERFACE 0xF9020000
#define LINE_0 121
#else
#define DISTRIBUTOR 0xF8F01000 /* PL390 */
#define INTERFACE 0xF8F00100
#define LINE_0 61
#endif

static volatile uint32_t events, sum, count;

void interrupts_off(void);
void interrupts_on(void);

__attribute__((noinline)) static void on_line(void) { events++; }

/* What the vector calls. */
void on_interrupt(void) {
    uint32_t taken = REGISTER(INTERFACE + 0x0C); /* acknowledge */
    if ((taken & 0x3FF) == LINE_0)
        on_line();
    REGISTER(INTERFACE + 0x10) = taken; /* end */
}

__attribute__((noinline)) static void pass_time(unsigned rounds) {
    for (unsigned n = 0; n < rounds; n++)
        __asm__ volatile("nop");
}

__attribute__((noinline)) uint32_t sample(void) {
    pass_time(4);
    return events;
}

__attribute__((noinline)) void take_in(uint32_t found) {
    interrupts_off();
    sum += found;
    count++;
    interrupts_on();
}

__attribute__((noreturn)) void run(void) {
    uintptr_t word = LINE_0 / 32 * 4, field = LINE_0 / 16 * 4;
    REGISTER(DISTRIBUTOR + 0xC00 + field) |= 2u << LINE_0 % 16 * 2;        /* by rising edge */
    *(volatile uint8_t *)(uintptr_t)(DISTRIBUTOR + 0x400 + LINE_0) = 0xA0; /* priority */
    *(volatile uint8_t *)(uintptr_t)(DISTRIBUTOR + 0x800 + LINE_0) = 1;    /* for core 0 */
    REGISTER(DISTRIBUTOR + 0x100 + word) = 1u << LINE_0 % 32;              /* enabled */
    REGISTER(DISTRIBUTOR) = 1;
    REGISTER(INTERFACE + 4) = 0xF0; /* all priorities */
    REGISTER(INTERFACE) = 1;
    interrupts_on();
    for (;;) {
        take_in(sample());
        pass_time(200);
    }
}
