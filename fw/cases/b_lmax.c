/* B-Lmax: any of T4-n, T6-k and T7 together. The first cores handle the line, the next one
 * raises the background interrupts of core 0 if there are any, and the remaining ones write to
 * memory. */
#include "cases/kind.h"
#include "cases/parts/background.h"
#include "cases/parts/handling.h"
#include "cases/parts/raising.h"
#include "cases/parts/waiting.h"
#include "cases/parts/writing.h"

static unsigned first_free(const irq_case_request_t *request) {
    return request->raise_period == 0 ? request->cores : request->cores + 1u;
}

static bool is_valid(const irq_case_request_t *request, enum irq_case_field *field) {
    *field = IRQ_CASE_FIELD_RAISE_PERIOD; /* something to raise, and a core to do it */
    if (request->raise_period != 0 && (request->background == 0 || request->cores == CORES))
        return false;
    if (request->array_kib != 0) {
        *field = IRQ_CASE_FIELD_ARRAY_KIB;
        if (first_free(request) >= CORES || !writing_is_valid(request, field))
            return false;
    }
    return request->background == 0 || background_is_valid(request, field);
}

static void begin(const irq_case_request_t *request, const irq_batch_request_t *batch) {
    background_begin(request, batch);
    writing_begin(request, batch);
}

static void end(const irq_case_request_t *request, struct case_result *result) {
    background_end(request, result);
    writing_end(request, result);
}

static parking_work_t work(const irq_case_request_t *request, unsigned core) {
    if (core < request->cores)
        return handling;
    if (core < first_free(request))
        return raising_all;
    return request->array_kib != 0 ? writing : NULL;
}

static const struct case_kind case_b_lmax = {
    .id = IRQ_CASE_ID_B_LMAX,
    .uses = USES_WAITING | USES(CORES) | USES(BACKGROUND) | USES(RAISE_PERIOD) | USES(ARRAY_KIB) |
            USES(LOAD_SEED),
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .is_valid = is_valid,
    .prepare = background_prepare,
    .begin = begin,
    .run = waiting_run,
    .end = end,
    .work = work,
};
CASE(case_b_lmax);
