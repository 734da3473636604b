/* What the other machines' firmware does itself and here the kernel does, or nobody. */
#include <time.h>

#include "lib/registers.h"
#include "machine/caches.h"
#include "machine/cores.h"
#include "machine/counter.h"
#include "machine/cpu.h"
#include "machine/fault.h"
#include "machine/linux/lines.h"
#include "machine/marker.h"
#include "machine/pl_state.h"
#include "machine/port.h"
#include "machine/state.h"
#include "machine/timer.h"
#include "machine/trace.h"
#include "machine/translation.h"

uint32_t marker_next;
uint64_t timer_compare = UINT64_MAX;

uint64_t timer_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * SYSTEM_COUNTER_HZ + (uint64_t)now.tv_nsec;
}

void counter_start_system(void) {}
void counter_start_cycles(void) {}
uint32_t counter_measure_cpu_hz(void) { return SYSTEM_COUNTER_HZ; } /* of what counts cycles here */

/* ---- state of the PL ------------------------------------------------------------------------- */

size_t pl_state_read(irq_pl_state_reply_t *reply) {
    unsigned failed_word;
    port_recover();
    *reply = (irq_pl_state_reply_t){.never_1 = UINT32_MAX, .never_0 = UINT32_MAX};
    for (unsigned bit = 0; bit < 64; bit++) {
        uint32_t pattern = UINT32_C(1) << bit % 32;
        port_write(PORT_WORD(scratch), bit < 32 ? pattern : ~pattern);
        uint32_t read = port_read(PORT_WORD(scratch));
        reply->never_1 &= ~read;
        reply->never_0 &= read;
    }
    reply->acknowledged = !port_failed(&failed_word);
    const struct named_register lines = {"uio_lines", lines_count()};
    return sizeof *reply + registers_put(&lines, 1, (irq_register_t *)(reply + 1));
}

/* ---- state of the core ----------------------------------------------------------------------- */

void state_read(struct state *state) { *state = (struct state){0}; }
uint8_t state_caches(const struct state *state) {
    (void)state;
    return IRQ_CACHES_DATA | IRQ_CACHES_INSTRUCTION;
}
uint64_t state_vectors(const struct state *state) {
    (void)state;
    return 0;
}
size_t state_put(const struct state *state, irq_register_t *to) {
    (void)state;
    (void)to;
    return 0;
}
size_t state_put_case(unsigned id, irq_register_t *to) {
    (void)id;
    (void)to;
    return 0;
}

/* ---- what there is not ----------------------------------------------------------------------- */

void parking_start(unsigned cores) { (void)cores; }
unsigned parking_cores(void) { return 1; }
void parking_give(unsigned core, parking_work_t work, uintptr_t argument) {
    (void)core;
    (void)work;
    (void)argument;
}
void parking_ready(void) {}
void parking_wait_ready(unsigned core) { (void)core; }
void parking_wait(unsigned core) { (void)core; }
void parking_stop(void) {}
void parking_abandon(void) {}
unsigned parking_take_stuck(void) { return 0; }
_Noreturn void parking_fault(uint64_t esr, uint64_t elr) { fault_report(0, esr, elr, 0); }

void caches_flush(void) {} /* a thread cannot; see docs/linux.md */
void caches_on(void) {}
void caches_off(void) {}
void mmu_prepare(enum mmu_pages pages, bool on_chip_memory) {
    (void)pages;
    (void)on_chip_memory;
}
void mmu_use(enum mmu_pages pages, enum mmu_memory memory) {
    (void)pages;
    (void)memory;
}
enum mmu_pages mmu_pages_of(uint64_t address) {
    (void)address;
    return MMU_USUAL;
}
enum mmu_memory mmu_memory_of(uint64_t address) {
    (void)address;
    return MMU_CACHEABLE;
}

size_t trace_set_up(irq_stm_reply_t *reply) {
    *reply = (irq_stm_reply_t){.state = IRQ_STM_STATE_NO_STM};
    return sizeof *reply;
}
bool trace_is_ready(void) { return false; }
void trace_prepare(unsigned lines) { (void)lines; }
struct trace_opening trace_opening(void) { return (struct trace_opening){NULL, 0}; }
void trace_close(void) {}
size_t trace_read(unsigned offset, irq_trace_reply_t *reply) {
    *reply = (irq_trace_reply_t){.offset = (uint16_t)offset};
    return sizeof *reply;
}
