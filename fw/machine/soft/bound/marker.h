/* A store at MARKER_BASE + 4 * code is a marker, whatever is stored. The next word is the code of
 * the set's first marker, and whether markers go anywhere; software need not keep a toggle, but can
 * read the effect of the last store: its code, and a bit that each store toggles. */
#ifndef MACHINE_SOFT_BOUND_MARKER_H
#define MACHINE_SOFT_BOUND_MARKER_H

#include "bound/cpu.h"
#include "generated/irqscope_regs.h"
#include "lib/mmio.h"

/* So many instructions take at least as long as the gateware's shortest placement, 20 ticks. */
#define PLACEMENT_NOPS 24

#define MARKER_TOGGLES 8u
#define MARKER_PROTECTED UINT64_C(0x10000)
#define MARKER_CHANGE(first, code) ((unsigned)(first) ^ (unsigned)(code))

_Static_assert(MARKER_VECTOR_OFFSET == -0x800 + 4 * IRQSCOPE_MARKER_VECTOR, "addresses.h");
_Static_assert(MARKER_HANDLER_OFFSET == -0x800 + 4 * IRQSCOPE_MARKER_HANDLER, "addresses.h");

extern uint32_t marker_next;

static inline __attribute__((always_inline)) void marker_store(uint32_t word) {
    mmio_write32(MARKER_BASE + 4 * (word & 7), 0);
}

static inline __attribute__((always_inline)) void marker_send_first(void) {
    marker_store(marker_next);
}

static inline __attribute__((always_inline)) void marker_send(unsigned change) {
    marker_store(marker_next ^ change);
}
static inline __attribute__((always_inline)) void marker_send_second(unsigned change) {
    marker_send(change);
}
static inline void marker_skip_second(void) {}

static inline uint64_t marker_word(void) { return marker_next; }
static inline void marker_set_word(uint64_t word) {
    marker_next = (uint32_t)word;
    mmio_write32(MARKER_GATE, (word & MARKER_PROTECTED) == 0);
}
static inline void marker_set_first(enum irqscope_marker first) {
    marker_set_word((uint64_t)first);
}

static inline unsigned marker_pins(void) { return mmio_read32(MARKER_BASE); }
static inline void marker_wait(void) {}

/* Two stores with nothing between them. */
static inline void marker_store_two(uint32_t first, uint32_t second) {
    __asm__ volatile("sw zero, 0(%0)\n\t"
                     "sw zero, 0(%1)"
                     :
                     : "r"(MARKER_BASE + 4 * (first & 7)), "r"(MARKER_BASE + 4 * (second & 7))
                     : "memory");
}
static inline void marker_store_complete(uint32_t word) { marker_store(word); }

#endif
