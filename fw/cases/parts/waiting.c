#include "cases/parts/waiting.h"

#include "cases/interrupts.h"
#include "machine/clock.h"
#include "machine/irq.h"
#include "machine/timer.h"
#include "stacks/stack.h"

static const struct case_kind *waiting_kind;

/* Values of the register of the cores' clock: in sleep, and at all other times. The divisor is
 * the one read back in sleep. */
static uint32_t slow_clock, full_clock;
static uint16_t current_divisor;

/* An SGI is raised once a period, from the time at which its batch began. */
static uint64_t period, next;

/* The case's own hook comes last, and nothing follows it: it may be meant to leave a cache cold. */
static void wait_for_period(void) {
    while (timer_now() < next) {
    }
    next += period;
    if (waiting_kind->before_wait != NULL)
        waiting_kind->before_wait();
}

static void restore_clock(void) {
    clock_set(full_clock);
    if (waiting_kind->after_marker != NULL)
        waiting_kind->after_marker();
}

static void prepare_clock(uint32_t divisor) {
    full_clock = clock_value(1);
    slow_clock = clock_value(divisor);
    if (divisor != 1)
        clock_set(slow_clock);
    current_divisor = (uint16_t)clock_divisor();
    if (divisor != 1)
        clock_set(full_clock);
}

uint16_t waiting_divisor(void) { return current_divisor; }

void waiting_prepare(const irq_case_request_t *request, const struct case_kind *kind) {
    struct stack_core *core = stack_core();
    waiting_kind = kind;
    prepare_clock(request->divisor);
    core->after_marker = request->divisor == 1 ? kind->after_marker : restore_clock;
    core->before_wait =
        interrupt_is_software(request->interrupt) ? wait_for_period : kind->before_wait;
}

void waiting_run(const irq_case_request_t *request, struct case_result *result) {
    struct stack_waiting how = {.spin = request->idle == IRQ_IDLE_SPIN};
    if (interrupt_is_software(request->interrupt)) {
        how.raise_id = request->interrupt;
        how.raise_count = request->count;
        period = request->raise_period;
        next = timer_now() + period;
    } else if (request->divisor != 1) {
        how.sleep_clock = slow_clock;
    }
    result->idles = (uint32_t)stack_wait(&how);
    if (how.sleep_clock != 0)
        clock_set(full_clock); /* the end of a batch does not do it */
}
