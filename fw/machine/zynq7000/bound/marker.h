/* Core n owns nibble n of EMIO bank 2: toggle (bit 3) and code (bits 2:0). TPIDRURW holds the next
 * word for MASK_DATA_2_LSW: all nibbles but the core's own protected, the nibble repeated four
 * times, so that constants are the same on every core. Its code is always that of the marker set's
 * first marker, which therefore costs one register read and one store; every other marker changes
 * the code on the way. Reading, storing and writing back run with interrupts masked. */
#ifndef MACHINE_ZYNQ7000_BOUND_MARKER_H
#define MACHINE_ZYNQ7000_BOUND_MARKER_H

#include "bound/cpu.h"
#include "generated/irqscope_regs.h"
#include "machine/zynq/gpio.h"

/* So many instructions take at least as long as the gateware's shortest placement, 20 ticks. */
#define PLACEMENT_NOPS 300

#define MARKER_TOGGLES 0x8888u

/* With all nibbles protected a store of the word changes no pin. */
#define MARKER_PROTECTED UINT64_C(0xFFFF0000)

/* Change of the word from the set's first code to another. */
#define MARKER_CHANGE(first, code) (((unsigned)(first) ^ (unsigned)(code)) * 0x1111u)

/* Reads the next word; puts another in its place. */
static inline __attribute__((always_inline)) uint64_t marker_word(void) {
    return READ_CP15(0, c13, c0, 2);
}
static inline __attribute__((always_inline)) void marker_set_word(uint64_t word) {
    WRITE_CP15(0, c13, c0, 2, word);
}

/* Sends the first marker of the set. Inline, so that no call precedes it, and in assembly, so that
 * the compiler does not move later instructions before the store. */
static inline __attribute__((always_inline)) void marker_send_first(void) {
    uint32_t word, scratch;
    __asm__ volatile("mrc p15, 0, %0, c13, c0, 2\n\t"
                     "movw %1, #:lower16:%c2\n\t"
                     "movt %1, #:upper16:%c2\n\t"
                     "str %0, [%1, %3]\n\t"
                     "movw %1, %4\n\t"
                     "eor %0, %0, %1\n\t"
                     "mcr p15, 0, %0, c13, c0, 2"
                     : "=&r"(word), "=&r"(scratch)
                     : "i"(GPIO_BASE), "i"(GPIO_MASK_DATA_2_LSW), "i"(MARKER_TOGGLES)
                     : "memory");
}

/* Sends another marker; `change` is a MARKER_CHANGE. */
static inline __attribute__((always_inline)) void marker_send(unsigned change) {
    uint32_t word, changed, scratch;
    __asm__ volatile("mrc p15, 0, %0, c13, c0, 2\n\t"
                     "eor %1, %0, %3\n\t"
                     "movw %2, #:lower16:%c4\n\t"
                     "movt %2, #:upper16:%c4\n\t"
                     "str %1, [%2, %5]\n\t"
                     "movw %2, %6\n\t"
                     "eor %0, %0, %2\n\t"
                     "mcr p15, 0, %0, c13, c0, 2"
                     : "=&r"(word), "=&r"(changed), "=&r"(scratch)
                     : "r"(change), "i"(GPIO_BASE), "i"(GPIO_MASK_DATA_2_LSW), "i"(MARKER_TOGGLES)
                     : "memory");
}

/* Sends the second marker of a pair whose first has not written its word back: the toggle ends
 * where it was, and TPIDRURW stays right. */
static inline __attribute__((always_inline)) void marker_send_second(unsigned change) {
    gpio_write(GPIO_MASK_DATA_2_LSW, (uint32_t)marker_word() ^ change ^ MARKER_TOGGLES);
}

/* Takes the place of marker_send_second in a set without a second marker. */
static inline void marker_skip_second(void) { marker_set_word(marker_word() ^ MARKER_TOGGLES); }

/* Makes this core's next word, for a set that begins with `first`, from the level that its toggle
 * really has: correct after a restart and after another set. */
static inline void marker_set_first(enum irqscope_marker first) {
    unsigned shift = 4 * cpu_number();
    unsigned toggle = ~(gpio_read(GPIO_DATA(GPIO_LOW)) >> shift) & 8;
    uint32_t protect = ~(UINT32_C(0xF) << shift) << 16;
    marker_set_word(protect | (toggle | (unsigned)first) * 0x1111u);
}

/* This core's pins as the processor drives them: toggle and code. */
static inline unsigned marker_pins(void) {
    return gpio_read(GPIO_DATA(GPIO_LOW)) >> 4 * cpu_number() & 0xF;
}

/* Returns when what was sent has left. */
static inline void marker_wait(void) { (void)gpio_read(GPIO_DATA(GPIO_LOW)); }

/* Two stores with nothing between them. */
static inline void marker_store_two(uint32_t first, uint32_t second) {
    /* In assembly, or a compiler would put instructions between them. */
    __asm__ volatile("str %0, [%2, %3]\n\t"
                     "str %1, [%2, %3]"
                     :
                     : "r"(first), "r"(second), "r"(GPIO_BASE), "i"(GPIO_MASK_DATA_2_LSW)
                     : "memory");
}

/* One store that is complete only when the controller has it. */
static inline void marker_store_complete(uint32_t word) {
    mmio_write32(STRONGLY_ORDERED_ALIAS + (GPIO_BASE & 0xFFFFF) + GPIO_MASK_DATA_2_LSW, word);
}

#endif
