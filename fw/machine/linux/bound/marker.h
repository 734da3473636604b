/* Markers as machine/zynqmp has them, by a store to MASK_DATA_3_LSW, but with the next word in
 * memory. The thread is marker source 0. */
#ifndef MACHINE_LINUX_BOUND_MARKER_H
#define MACHINE_LINUX_BOUND_MARKER_H

#include "bound/cpu.h"
#include "generated/irqscope_regs.h"
#include "machine/zynq/gpio.h"

#define PLACEMENT_NOPS 300

#define MARKER_TOGGLES 0x8888u
#define MARKER_PROTECTED UINT64_C(0xFFFF0000)
#define MARKER_CHANGE(first, code) (((unsigned)(first) ^ (unsigned)(code)) * 0x1111u)

extern uint32_t marker_next;

static inline __attribute__((always_inline)) void marker_store(uint32_t word) {
    gpio_write(GPIO_MASK_DATA_LSW(GPIO_LOW), word);
}

static inline __attribute__((always_inline)) void marker_send_first(void) {
    marker_store(marker_next);
    marker_next ^= MARKER_TOGGLES;
}

static inline __attribute__((always_inline)) void marker_send(unsigned change) {
    marker_store(marker_next ^ change);
    marker_next ^= MARKER_TOGGLES;
}

static inline uint64_t marker_word(void) { return marker_next; }
static inline void marker_set_word(uint64_t word) { marker_next = (uint32_t)word; }

static inline void marker_set_first(enum irqscope_marker first) {
    unsigned toggle = ~gpio_read(GPIO_DATA(GPIO_LOW)) & 8;
    marker_next = 0xFFF00000u | (toggle | (unsigned)first) * 0x1111u;
}

static inline unsigned marker_pins(void) { return gpio_read(GPIO_DATA(GPIO_LOW)) & 0xF; }
static inline void marker_wait(void) { (void)gpio_read(GPIO_DATA(GPIO_LOW)); }

static inline void marker_store_two(uint32_t first, uint32_t second) {
    marker_store(first);
    marker_store(second);
}

/* Linux maps no strongly ordered alias: a load from the same controller comes after the store. */
static inline void marker_store_complete(uint32_t word) {
    marker_store(word);
    marker_wait();
}

#endif
