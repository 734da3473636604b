/* T5: 14 background interrupts on the measured core have priorities 14 to 1, the measured one has
 * 0. Core 1 raises them one after the other, each more urgent than the one before: so the
 * interrupt controller finds another highest pending one as often as possible. */
#include "cases/kind.h"
#include "cases/parts/background.h"
#include "cases/parts/raising.h"
#include "cases/parts/waiting.h"
#include "machine/irq.h"

#define BACKGROUND 14
#define LEVEL IRQ_PRIORITY_STEP

static bool is_valid(const irq_case_request_t *request, enum irq_case_field *field) {
    *field = IRQ_CASE_FIELD_BACKGROUND;
    if (request->background != BACKGROUND)
        return false;
    *field = IRQ_CASE_FIELD_PRIORITY;
    if (request->priority >= LEVEL)
        return false;
    *field = IRQ_CASE_FIELD_RAISE_PERIOD;
    return request->raise_period != 0 && background_is_valid(request, field);
}

static void prepare(const irq_case_request_t *request) {
    uint8_t priorities[BACKGROUND];
    for (unsigned i = 0; i < BACKGROUND; i++)
        priorities[i] = (uint8_t)((BACKGROUND - i) * LEVEL);
    background_prepare_with(request, priorities);
}

static parking_work_t work(const irq_case_request_t *request, unsigned core) {
    (void)request;
    return core == 1 ? raising_one_by_one : NULL;
}

static const struct case_kind case_t5 = {
    .id = IRQ_CASE_ID_T5,
    .uses = USES_WAITING | USES(BACKGROUND) | USES(RAISE_PERIOD),
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .is_valid = is_valid,
    .prepare = prepare,
    .begin = background_begin,
    .run = waiting_run,
    .end = background_end,
    .work = work,
};
CASE(case_t5);
