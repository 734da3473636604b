/* A soft core and its system: one clock, one memory without translation or caches, no other core.
 * Functions for parts that only other machines have report that they do not exist. */
#include "machine/caches.h"
#include "machine/counter.h"
#include "machine/cpu.h"
#include "machine/marker.h"
#include "machine/pl_state.h"
#include "machine/port.h"
#include "machine/state.h"
#include "machine/timer.h"
#include "machine/trace.h"
#include "machine/translation.h"

uint32_t cpu_core_word;
void *cpu_core_pointer;
uint32_t *cpu_frame;
uint32_t marker_next;
uint64_t timer_compare = UINT64_MAX;

/* ---- counter --------------------------------------------------------------------------------- */

void counter_start_system(void) {}
void counter_start_cycles(void) {}
uint32_t counter_measure_cpu_hz(void) { return SYSTEM_COUNTER_HZ; }

/* ---- register port --------------------------------------------------------------------------- */

static bool given_up;
static unsigned given_up_word;

void port_init(void) { port_recover(); }
void port_recover(void) { given_up = false; }

uint32_t port_read(unsigned word) { return mmio_read32(PORT_BASE + 4 * word); }
void port_write(unsigned word, uint32_t value) { mmio_write32(PORT_BASE + 4 * word, value); }

/* A store has no reply, but nothing changes between the two: the gateware is disarmed. */
uint32_t port_exchange(unsigned word, uint32_t value) {
    uint32_t before = port_read(word);
    port_write(word, value);
    return before;
}

uint64_t port_read64(unsigned word) {
    uint32_t low = port_read(word);
    return (uint64_t)port_read(word + 1) << 32 | low;
}

void port_write64(unsigned word, uint64_t value) {
    port_write(word, (uint32_t)value);
    port_write(word + 1, (uint32_t)(value >> 32));
}

uint64_t port_now(void) {
    uint32_t high = port_read(PORT_WORD(now) + 1), low, before;
    do {
        before = high;
        low = port_read(PORT_WORD(now));
        high = port_read(PORT_WORD(now) + 1);
    } while (high != before);
    return (uint64_t)high << 32 | low;
}

bool port_failed(unsigned *word) {
    *word = given_up_word;
    return given_up;
}

void port_give_up(unsigned word) {
    given_up = true;
    given_up_word = word;
}

size_t pl_state_read(irq_pl_state_reply_t *reply) {
    *reply = (irq_pl_state_reply_t){.acknowledged = true, .never_1 = UINT32_MAX};
    reply->never_0 = UINT32_MAX;
    for (unsigned bit = 0; bit < 64; bit++) {
        uint32_t pattern = UINT32_C(1) << bit % 32;
        port_write(PORT_WORD(scratch), bit < 32 ? pattern : ~pattern);
        uint32_t read = port_read(PORT_WORD(scratch));
        reply->never_1 &= ~read;
        reply->never_0 &= read;
    }
    return sizeof *reply;
}

/* ---- state ----------------------------------------------------------------------------------- */

uint8_t state_caches(const struct state *state) {
    (void)state;
    return 0;
}

size_t state_put_case(unsigned id, irq_register_t *to) {
    struct state state;
    (void)id;
    state_read(&state);
    return state_put(&state, to);
}

/* ---- what there is not ----------------------------------------------------------------------- */

void caches_flush(void) {}
void caches_flush_level1(void) {}
void caches_flush_level2(void) {}
void caches_flush_both(void) {}
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
    return MMU_BLOCKS_1G;
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
