/* Core n owns nibble n of EMIO bank 3: toggle (bit 3) and code (bits 2:0). TPIDR_EL3 holds the next
 * word for MASK_DATA_3_LSW: all nibbles but the core's own protected, the nibble repeated four
 * times, so that constants are the same on every core. Its code is always that of the marker set's
 * first marker, which therefore costs one register read and one store; every other marker changes
 * the code on the way. Reading, storing and writing back run with interrupts masked. */
#ifndef MACHINE_ZYNQMP_BOUND_MARKER_H
#define MACHINE_ZYNQMP_BOUND_MARKER_H

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

/* Sends the first marker of the set. Inline, so that no call precedes it, and in assembly, so that
 * the compiler does not move later instructions before the store. */
static inline __attribute__((always_inline)) void marker_send_first(void) {
    uint64_t word, scratch;
    __asm__ volatile("mrs %0, tpidr_el3\n\t"
                     "mov %1, %2\n\t"
                     "str %w0, [%1, %3]\n\t"
                     "mov %1, %4\n\t"
                     "eor %0, %0, %1\n\t"
                     "msr tpidr_el3, %0"
                     : "=&r"(word), "=&r"(scratch)
                     : "n"(UINT64_C(GPIO_BASE)), "n"(GPIO_MASK_DATA_3_LSW), "n"(MARKER_TOGGLES)
                     : "memory");
}

/* Stimulus port 0 of the STM: a store there is traced with its time and is never dropped; it waits
 * if the STM cannot take it (G_DTS, Arm IHI 0054). A byte, as Horst et al. stored it. */
#define MARKER_STM_PORT 0x10

/* A marker and a store to the STM, in this order and in the other one. Both have the same
 * instructions, so that only the order of the two stores tells them apart. */
#define MARKER_SEND_TWICE(first_store, second_store)                                               \
    do {                                                                                           \
        uint64_t word, gpio, stm;                                                                  \
        __asm__ volatile("mrs %0, tpidr_el3\n\t"                                                   \
                         "mov %1, %3\n\t"                                                          \
                         "mov %2, %5\n\t" first_store "\n\t" second_store "\n\t"                   \
                         "mov %1, %7\n\t"                                                          \
                         "eor %0, %0, %1\n\t"                                                      \
                         "msr tpidr_el3, %0"                                                       \
                         : "=&r"(word), "=&r"(gpio), "=&r"(stm)                                    \
                         : "n"(UINT64_C(GPIO_BASE)), "n"(GPIO_MASK_DATA_3_LSW),                    \
                           "n"(UINT64_C(STM_PORTS_BASE)), "n"(MARKER_STM_PORT),                    \
                           "n"(MARKER_TOGGLES)                                                     \
                         : "memory");                                                              \
    } while (0)
#define MARKER_STORE_EMIO "str %w0, [%1, %4]"
#define MARKER_STORE_STM "strb wzr, [%2, %6]"

static inline __attribute__((always_inline)) void marker_send_first_then_stm(void) {
    MARKER_SEND_TWICE(MARKER_STORE_EMIO, MARKER_STORE_STM);
}

static inline __attribute__((always_inline)) void marker_send_first_behind_stm(void) {
    MARKER_SEND_TWICE(MARKER_STORE_STM, MARKER_STORE_EMIO);
}

/* Sends another marker; `change` is a MARKER_CHANGE. */
static inline __attribute__((always_inline)) void marker_send(unsigned change) {
    uint64_t word, changed, scratch;
    __asm__ volatile("mrs %0, tpidr_el3\n\t"
                     "eor %1, %0, %3\n\t"
                     "mov %2, %4\n\t"
                     "str %w1, [%2, %5]\n\t"
                     "mov %2, %6\n\t"
                     "eor %0, %0, %2\n\t"
                     "msr tpidr_el3, %0"
                     : "=&r"(word), "=&r"(changed), "=&r"(scratch)
                     : "r"((uint64_t)change), "n"(UINT64_C(GPIO_BASE)), "n"(GPIO_MASK_DATA_3_LSW),
                       "n"(MARKER_TOGGLES)
                     : "memory");
}

/* Sends the second marker of a pair whose first has not written its word back: the toggle ends
 * where it was, and TPIDR_EL3 stays right. */
static inline __attribute__((always_inline)) void marker_send_second(unsigned change) {
    uint64_t word = READ_SYSREG(tpidr_el3);
    gpio_write(GPIO_MASK_DATA_3_LSW, (uint32_t)(word ^ change ^ MARKER_TOGGLES));
}

/* Takes the place of marker_send_second in a set without a second marker. */
static inline void marker_skip_second(void) {
    WRITE_SYSREG(tpidr_el3, READ_SYSREG(tpidr_el3) ^ MARKER_TOGGLES);
}

/* Makes this core's next word, for a set that begins with `first`, from the level that its toggle
 * really has: correct after a restart and after another set. */
static inline void marker_set_first(enum irqscope_marker first) {
    unsigned shift = 4 * cpu_number();
    unsigned toggle = ~(gpio_read(GPIO_DATA(GPIO_LOW)) >> shift) & 8;
    uint32_t protect = ~(UINT32_C(0xF) << shift) << 16;
    WRITE_SYSREG(tpidr_el3, protect | (toggle | (unsigned)first) * 0x1111u);
}

/* Reads the next word; puts another in its place. */
static inline uint64_t marker_word(void) { return READ_SYSREG(tpidr_el3); }
static inline void marker_set_word(uint64_t word) { WRITE_SYSREG(tpidr_el3, word); }

/* This core's pins as the processor drives them: toggle and code. */
static inline unsigned marker_pins(void) {
    return gpio_read(GPIO_DATA(GPIO_LOW)) >> 4 * cpu_number() & 0xF;
}

/* Returns when what was sent has left. */
static inline void marker_wait(void) { (void)gpio_read(GPIO_DATA(GPIO_LOW)); }

/* Two stores with nothing between them. */
static inline void marker_store_two(uint32_t first, uint32_t second) {
    /* In assembly, or a compiler would put instructions between them. */
    __asm__ volatile("str %w0, [%2, %3]\n\t"
                     "str %w1, [%2, %3]"
                     :
                     : "r"(first), "r"(second), "r"(UINT64_C(GPIO_BASE)), "n"(GPIO_MASK_DATA_3_LSW)
                     : "memory");
}

/* One store that is complete only when the controller has it. */
static inline void marker_store_complete(uint32_t word) {
    mmio_write32(STRONGLY_ORDERED_ALIAS + GPIO_BASE + GPIO_MASK_DATA_3_LSW, word);
}

#endif
