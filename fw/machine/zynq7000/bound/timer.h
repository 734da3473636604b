/* The global timer (Cortex-A9 MPCore TRM, chapter 4): 64 bits for both cores, and a comparator for
 * each (IRQ_TIMER_TICK), whose event is set from the count on at which it is due. Its interrupt is
 * an edge, so what it has left pending is taken back with the event. */
#ifndef MACHINE_ZYNQ7000_BOUND_TIMER_H
#define MACHINE_ZYNQ7000_BOUND_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "bound/cpu.h"
#include "bound/irq.h"
#include "lib/mmio.h"

#define TIMER_LOW (GLOBAL_TIMER_BASE + 0x00)
#define TIMER_HIGH (GLOBAL_TIMER_BASE + 0x04)
#define TIMER_CONTROL (GLOBAL_TIMER_BASE + 0x08)
#define TIMER_STATUS (GLOBAL_TIMER_BASE + 0x0C)
#define TIMER_DUE_LOW (GLOBAL_TIMER_BASE + 0x10)
#define TIMER_DUE_HIGH (GLOBAL_TIMER_BASE + 0x14)

#define TIMER_ENABLE 1u /* both cores'; the other two are of the core that writes */
#define TIMER_COMPARE 2u
#define TIMER_INTERRUPT 4u
#define TIMER_EVENT 1u /* cleared by writing 1 */

/* Read high, low, high: it runs on. */
static inline uint64_t timer_now(void) {
    uint32_t high, low, again = mmio_read32(TIMER_HIGH);
    do {
        high = again;
        low = mmio_read32(TIMER_LOW);
        again = mmio_read32(TIMER_HIGH);
    } while (again != high);
    return (uint64_t)high << 32 | low;
}

static inline bool timer_is_due(void) { return (mmio_read32(TIMER_STATUS) & TIMER_EVENT) != 0; }

static inline uint64_t timer_due(void) {
    uint32_t low = mmio_read32(TIMER_DUE_LOW);
    return (uint64_t)mmio_read32(TIMER_DUE_HIGH) << 32 | low;
}

/* The comparator is moved first, then the event is cleared, then the pending state: an event not
 * cleared by then would be set again (erratum 740657). */
static inline void timer_set_due(uint64_t count) {
    mmio_write32(TIMER_CONTROL, TIMER_ENABLE);
    mmio_write32(TIMER_DUE_LOW, (uint32_t)count);
    mmio_write32(TIMER_DUE_HIGH, (uint32_t)(count >> 32));
    mmio_write32(TIMER_STATUS, TIMER_EVENT);
    dsb();
    irq_clear_private_pending(IRQ_TIMER_TICK);
    mmio_write32(TIMER_CONTROL, TIMER_ENABLE | TIMER_COMPARE | TIMER_INTERRUPT);
    dsb();
}

static inline void timer_start(uint64_t due) { timer_set_due(due); }

static inline void timer_stop(void) {
    mmio_write32(TIMER_CONTROL, TIMER_ENABLE);
    mmio_write32(TIMER_STATUS, TIMER_EVENT);
    dsb();
    irq_clear_private_pending(IRQ_TIMER_TICK);
}

#endif
