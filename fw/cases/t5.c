/* T5: 14 further interrupts on the measured core have priorities 14 to 1, the measured one has
 * 0. Core 1 raises them one after the other, each more urgent than the one before: so the
 * interrupt controller finds another highest pending one as often as possible. */
#include "cases/kind.h"
#include "cases/parts/further.h"
#include "cases/parts/raising.h"
#include "cases/parts/waiting.h"
#include "machine/irq.h"

#define FURTHER 14
#define LEVEL IRQ_PRIORITY_STEP

static bool is_valid(const irq_case_request_t *request, enum irq_case_field *field) {
    *field = IRQ_CASE_FIELD_FURTHER;
    if (request->further != FURTHER)
        return false;
    *field = IRQ_CASE_FIELD_PRIORITY;
    if (request->priority >= LEVEL)
        return false;
    *field = IRQ_CASE_FIELD_RAISE_PERIOD;
    return request->raise_period != 0 && further_is_valid(request, field);
}

static void prepare(const irq_case_request_t *request) {
    uint8_t priorities[FURTHER];
    for (unsigned i = 0; i < FURTHER; i++)
        priorities[i] = (uint8_t)((FURTHER - i) * LEVEL);
    further_prepare_with(request, priorities);
}

static parking_work_t work(const irq_case_request_t *request, unsigned core) {
    (void)request;
    return core == 1 ? raising_one_by_one : NULL;
}

static const struct case_kind case_t5 = {
    .id = IRQ_CASE_ID_T5,
    .uses = USES_WAITING | USES(FURTHER) | USES(RAISE_PERIOD),
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .is_valid = is_valid,
    .prepare = prepare,
    .begin = further_begin,
    .run = waiting_run,
    .end = further_end,
    .work = work,
};
CASE(case_t5);
