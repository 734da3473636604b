/* Cache states: before each interrupt, caches, translations and branch predictors are put into a
 * state. Everything that `state` does not name stays as the last interrupt left it. */
#include "cases/kind.h"
#include "cases/parts/waiting.h"
#include "machine/caches.h"
#include "machine/cpu.h"
#include "machine/predictors.h"

static uint32_t state;

static void prepare(const irq_case_request_t *request) { state = request->state; }

/* Data caches come last and nothing follows: not even a return that reads the call stack. */
static void put_into_state(void) {
    if (state & IRQ_CACHE_STATE_BP)
        predictors_forget();
    if (state & IRQ_CACHE_STATE_TLB)
        translations_forget();
    if (state & IRQ_CACHE_STATE_L1I)
        instructions_forget();
    dsb();
    isb();
    switch (state & (IRQ_CACHE_STATE_L1D | IRQ_CACHE_STATE_L2)) {
    case IRQ_CACHE_STATE_L1D:
        caches_flush_level1();
        return;
    case IRQ_CACHE_STATE_L2:
        caches_flush_level2();
        return;
    case IRQ_CACHE_STATE_L1D | IRQ_CACHE_STATE_L2:
        caches_flush_both();
        return;
    default:
        return;
    }
}

static const struct case_kind case_cache_state = {
    .id = IRQ_CASE_ID_CACHE_STATE,
    .uses = USES_WAITING | USES_SGI | USES(STATE),
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .prepare = prepare,
    .run = waiting_run,
    .before_wait = put_into_state,
};
CASE(case_cache_state);
