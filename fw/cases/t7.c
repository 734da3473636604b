/* T7: all cores write constants to random places of one array; the interrupt meets core 0 while
 * it writes. */
#include "cases/kind.h"
#include "cases/parts/writing.h"

static parking_work_t work(const irq_case_request_t *request, unsigned core) {
    (void)request;
    (void)core;
    return writing;
}

static const struct case_kind case_t7 = {
    .id = IRQ_CASE_ID_T7,
    .uses = USES_STANDING | USES(WARM_UP) | USES(TIMER_TICK_PERIOD) | USES(TIMER_TICK_WORK) |
            USES(ARRAY_KIB) | USES(LOAD_SEED),
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .is_valid = writing_is_valid,
    .begin = writing_begin,
    .run = writing_run,
    .end = writing_end,
    .work = work,
};
CASE(case_t7);
