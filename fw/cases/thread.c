/* T2 of a thread under an operating system, with or without a program in the background. */
#include "cases/kind.h"
#include "cases/parts/waiting.h"
#include "machine/programs.h"

static bool is_valid(const irq_case_request_t *request, enum irq_case_field *field) {
    *field = IRQ_CASE_FIELD_BACKGROUND;
    return request->background <= programs_count();
}

static void prepare(const irq_case_request_t *request) { programs_start(request->background); }

/* A batch beside a program that has failed says something else than it should. */
static void end(const irq_case_request_t *request, struct case_result *result) {
    int status;
    if (request->background != 0 && !programs_run(&status))
        result->error =
            (irq_error_t){IRQ_ERROR_CODE_PROGRAM, request->background, (uint32_t)status};
}

static const struct case_kind case_thread = {
    .id = IRQ_CASE_ID_T1,
    .uses = USES_WAITING | USES(BACKGROUND),
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .is_valid = is_valid,
    .prepare = prepare,
    .run = waiting_run,
    .end = end,
};
CASE(case_thread);
