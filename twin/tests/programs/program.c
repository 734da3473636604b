#include "program.h"

static void send(char character) {
    while (REG(UART + 0x2C) & 0x10) {
    }
    REG(UART + 0x30) = (u32)character;
}

void uart_start(void) {
    REG(UART + 0x04) = 0x20; /* 8N1 */
    REG(UART + 0x18) = 124;  /* 115200 baud */
    REG(UART + 0x34) = 6;
    REG(UART + 0x20) = 1;
    REG(UART + 0x00) = 0x14;
}

void print(u64 value) {
    int shift = 60;
    while (shift > 0 && value >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        send("0123456789abcdef"[value >> shift & 15]);
    send('\n');
}

void finish(void) {
    send('.');
    for (;;)
        ASM("msr daifset, #15\n wfi");
}

static void unexpected(void) {
    send('!');
    print(MRS("esr_el3"));
    print(MRS("elr_el3"));
    finish();
}

void (*volatile on_irq)(void) = unexpected;
void (*volatile on_fiq)(void) = unexpected;
void (*volatile on_sync)(void) = unexpected;
void (*volatile on_sync_sp0)(void) = unexpected;
void (*volatile on_unexpected)(void) = unexpected;

__attribute__((weak)) void core_main(void) {}

void gic_start(void) {
    REG(GICD) = 1;
    REG(GICC + 0x04) = 0xFF;
    REG(GICC + 0x00) = 1;
    ASM("dsb sy");
    MSR("scr_el3", SCR_RW | SCR_IRQ);
    ASM("isb");
}

void gic_use(u32 id, u32 edge) {
    BYTE(GICD + 0x400 + id) = 0xA0;
    BYTE(GICD + 0x800 + id) = 1;
    u32 bit = 2u << 2 * (id % 16);
    volatile u32 *icfgr = &REG(GICD + 0xC00 + id / 16 * 4);
    *icfgr = edge ? *icfgr | bit : *icfgr & ~bit;
    REG(GICD + 0x100 + id / 32 * 4) = 1u << id % 32;
    ASM("dsb sy");
}

void counters_start(void) {
    REG(SCNTRS) = 1;
    MSR("pmcntenset_el0", 1u << 31);
    MSR("pmcr_el0", 0x45); /* E, C, LC */
    ASM("dsb sy\n isb");
}

void timer_interrupt_start(void) {
    gic_start();
    counters_start();
    BYTE(GICD + 0x400 + 29) = 0xA0;
    REG(GICD + 0x100) = 1u << 29;
    ASM("dsb sy");
}

void start_core(u32 core) {
    extern char _start[];
    REG(0xFD5C0040 + 8 * core) = (u32)(u64)_start;
    REG(0xFD5C0044 + 8 * core) = 0;
    REG(0xFD1A0104) &= ~(1u << core | 1u << (10 + core));
}

static u32 request;

void pl_start(void) {
    for (u32 bank = 0; bank < 2; bank++) {
        REG(GPIO + 0x2C4 + 0x40 * bank) = 0xFFFFFFFF;
        REG(GPIO + 0x2C8 + 0x40 * bank) = 0xFFFFFFFF;
    }
}

static u32 pl_access(u32 word, u32 write) {
    u32 high = word | write << 14 | request << 15;
    REG(GPIO + 0x1C) = high;
    request ^= 1;
    REG(GPIO + 0x1C) = 0x7FFF0000 | request << 15;
    while ((REG(GPIO + 0x6C) & 1) != request) {
    }
    return REG(GPIO + 0x70);
}

void pl_write(u32 word, u32 value) {
    REG(GPIO + 0x50) = value;
    pl_access(word, 1);
}

u32 pl_read(u32 word) { return pl_access(word, 0); }
