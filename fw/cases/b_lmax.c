/* B-Lmax: T4 and T6 together. The first core that handles nothing raises the further interrupts. */
#include "cases/case.h"
#include "cases/parts/further.h"
#include "cases/parts/handling.h"
#include "cases/parts/raising.h"
#include "cases/parts/waiting.h"

static bool is_valid(const irq_case_request_t *request, enum case_field *field) {
    *field = FIELD_RAISE_PERIOD; /* no core is left to do it */
    if (request->raise_period != 0 && request->cores == CORES)
        return false;
    return further_is_valid(request, field);
}

static parking_work_t work(const irq_case_request_t *request, unsigned core) {
    if (core < request->cores)
        return handling;
    return core == request->cores && request->raise_period != 0 ? raising_all : NULL;
}

static const struct case_kind case_b_lmax = {
    .id = IRQ_CASE_ID_B_LMAX,
    .uses = USES_WAITING | USES(CORES) | USES(FURTHER) | USES(RAISE_PERIOD),
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .is_valid = is_valid,
    .prepare = further_prepare,
    .begin = further_begin,
    .run = waiting_run,
    .end = further_end,
    .work = work,
};
CASE(case_b_lmax);
