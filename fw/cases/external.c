/* A device at the pins answers the lines, and its edges are the markers. The core that carries
 * the instrument only waits for the end. */
#include "cases/kind.h"
#include "stacks/stack.h"

static void run_external(const irq_case_request_t *request, struct case_result *result) {
    result->idles =
        (uint32_t)stack_wait(&(struct stack_waiting){.spin = request->idle == IRQ_IDLE_SPIN});
}

static const struct case_kind case_external = {
    .id = IRQ_CASE_ID_EXTERNAL,
    .uses = USES_STANDING,
    .ends_by_interrupt = true,
    .pins = true,
    .run = run_external,
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
