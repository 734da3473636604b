/* T4: background interrupts of lowest priority on the measured core, with empty handlers. With a
 * period core 1 raises all of them once every period; without one they are only enabled. */
#include "cases/kind.h"
#include "cases/parts/background.h"
#include "cases/parts/raising.h"
#include "cases/parts/waiting.h"

static parking_work_t work(const irq_case_request_t *request, unsigned core) {
    return core == 1 && request->raise_period != 0 ? raising_all : NULL;
}

static const struct case_kind case_t4 = {
    .id = IRQ_CASE_ID_T4,
    .uses = USES_WAITING | USES(BACKGROUND) | USES(RAISE_PERIOD),
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .is_valid = background_is_valid,
    .prepare = background_prepare,
    .begin = background_begin,
    .run = waiting_run,
    .end = background_end,
    .work = work,
};
CASE(case_t4);
