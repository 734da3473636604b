/* A device at the pins answers the lines, and its edges are the markers. The core that carries
 * the instrument only waits for the end. Where the host has said a place of a program, each passing
 * of it starts the line, as in the case PLACEMENT. */
#include "cases/kind.h"
#include "cases/placement.h"
#include "stacks/stack.h"

static void run_external(const irq_case_request_t *request, struct case_result *result) {
    result->idles =
        (uint32_t)stack_wait(&(struct stack_waiting){.spin = request->idle == IRQ_IDLE_SPIN});
}

/* irqscope.ld has placing_* where they move no other code. */
static bool placing(void) {
    irq_places_reply_t reply;
    (void)placement_read(UINT32_MAX, &reply); /* of no stimulus */
    return reply.total != 0;
}

static void placing_forget(const irq_case_request_t *request) {
    (void)request;
    (void)placement_set(&(irq_code_under_test_request_t){0});
}

static void placing_begin(const irq_case_request_t *request, const irq_batch_request_t *batch) {
    if (placing())
        case_placement.begin(request, batch);
}

static void placing_end(const irq_case_request_t *request, struct case_result *result) {
    if (placing())
        case_placement.end(request, result);
}

static const struct case_kind case_external = {
    .id = IRQ_CASE_ID_EXTERNAL,
    .uses = USES_STANDING,
    .ends_by_interrupt = true,
    .pins = true,
    .prepare = placing_forget,
    .begin = placing_begin,
    .run = run_external,
    .end = placing_end,
};
CASE(case_external);

/* Calibration: a line is pin 0, in front of its synchroniser and filter. */
static const struct case_kind case_cal_pins = {
    .id = IRQ_CASE_ID_CAL_PINS,
    .uses = USES_STANDING,
    .counted = true,
    .ends_by_interrupt = true,
    .loopback = true,
    .pins = true,
    .run = run_external,
};
CASE(case_cal_pins);
