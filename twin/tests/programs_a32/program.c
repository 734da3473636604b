#include "program.h"

static void send(char character) {
    while (REG(UART + 0x2C) & 0x10) {
    }
    REG(UART + 0x30) = (u32)character;
}

void uart_start(void) {
    REG(UART + 0x04) = 0x20; /* 8N1 */
    REG(UART + 0x18) = 62;   /* 115200 baud */
    REG(UART + 0x34) = 6;
    REG(UART + 0x20) = 1;
    REG(UART + 0x00) = 0x14;
}

void print(u32 value) {
    int shift = 28;
    while (shift > 0 && value >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        send("0123456789abcdef"[value >> shift & 15]);
    send('\n');
}

void finish(void) {
    send('.');
    for (;;)
        ASM("cpsid if\n wfi");
}

static void unexpected(struct entry *entry) {
    send('!');
    print(CPSR());
    print(entry->link);
    finish();
}

void (*volatile on_undefined)(struct entry *) = unexpected;
void (*volatile on_svc)(struct entry *) = unexpected;
void (*volatile on_prefetch)(struct entry *) = unexpected;
void (*volatile on_data)(struct entry *) = unexpected;
void (*volatile on_irq)(struct entry *) = unexpected;
void (*volatile on_fiq)(struct entry *) = unexpected;

__attribute__((weak)) void core_main(void) {}

void gic_start(void) {
    REG(GICD) = 1;
    REG(GICC + 0x04) = 0xFF;
    REG(GICC + 0x00) = 1;
    ASM("dsb");
}

void gic_use(u32 id, u32 edge) {
    BYTE(GICD + 0x400 + id) = 0xA0;
    BYTE(GICD + 0x800 + id) = 1;
    u32 bit = 2u << 2 * (id % 16);
    volatile u32 *icfr = &REG(GICD + 0xC00 + id / 16 * 4);
    if (id >= 32)
        *icfr = edge ? *icfr | bit : *icfr & ~bit;
    REG(GICD + 0x100 + id / 32 * 4) = 1u << id % 32;
    ASM("dsb");
}

void counters_start(void) {
    MCR(c9, 0, c12, 1, 1u << 31);
    MCR(c9, 0, c12, 0, 5); /* E, C */
    ASM("dsb\n isb");
}

void start_core_1(void) {
    extern char _start[];
    REG(0xFFFFFFF0) = (u32)_start;
    ASM("dsb\n sev");
}

static u32 request;

void pl_start(void) {
    for (u32 bank = 0; bank < 2; bank++) {
        REG(GPIO + 0x284 + 0x40 * bank) = 0xFFFFFFFF;
        REG(GPIO + 0x288 + 0x40 * bank) = 0xFFFFFFFF;
    }
}

static u32 pl_access(u32 word, u32 write) {
    u32 high = word | write << 14 | request << 15;
    REG(GPIO + 0x14) = high;
    request ^= 1;
    REG(GPIO + 0x14) = 0x7FFF0000 | request << 15;
    while ((REG(GPIO + 0x68) & 1) != request) {
    }
    return REG(GPIO + 0x6C);
}

void pl_write(u32 word, u32 value) {
    REG(GPIO + 0x4C) = value;
    pl_access(word, 1);
}

u32 pl_read(u32 word) { return pl_access(word, 0); }
