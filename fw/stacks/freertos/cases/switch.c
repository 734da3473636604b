/* Context switches: from the marker `start` in one task to the marker `task`, the first thing
 * that another task does when it goes on. The first task is the instrument's own. It begins a
 * switch once a period; the kernel tick and its switches run at the same time. */
#include "cases/kind.h"
#include "machine/cpu.h"
#include "machine/marker.h"
#include "machine/timer.h"
#include "stacks/freertos/freertos.h"

#define CHANGE(code) MARKER_CHANGE(IRQSCOPE_MARKER_HANDLER, code)

/* A task that a switch goes to. */
struct partner {
    TaskHandle_t handle;
    StaticTask_t task;
    StackType_t call_stack[configMINIMAL_STACK_SIZE];
};

static struct partner yielding, notified;
static volatile bool goes_on;  /* the yielding task waits by yielding, not for a notification */
static volatile bool is_asked; /* its marker is awaited, also if a slice of time gave it the core */

static uint32_t period, left;
static uint64_t next;

static void mark_start(void) {
    interrupts_mask();
    is_asked = true;
    marker_send(CHANGE(IRQSCOPE_MARKER_START));
    interrupts_unmask();
}

static void mark_task(void) {
    interrupts_mask();
    marker_send(CHANGE(IRQSCOPE_MARKER_TASK));
    interrupts_unmask();
}

static void run_yielding(void *argument) {
    (void)argument;
    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        do {
            taskYIELD();
            if (is_asked) {
                mark_task();
                is_asked = false;
            }
        } while (goes_on);
    }
}

static void run_notified(void *argument) {
    (void)argument;
    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        mark_task();
    }
}

/* A task with the instrument's priority is ready; one with a higher priority blocks at once. */
static void create(struct partner *partner, TaskFunction_t run, UBaseType_t priority) {
    if (partner->handle == NULL)
        partner->handle = xTaskCreateStatic(run, "partner", configMINIMAL_STACK_SIZE, NULL,
                                            priority, partner->call_stack, &partner->task);
    interrupts_mask(); /* a call of the kernel unmasks them */
}

static void wait_for_period(void) {
    while (timer_now() < next) {
    }
    next += period;
}

static void prepare(const irq_case_request_t *request) { period = request->raise_period; }

static bool is_valid(const irq_case_request_t *request, enum irq_case_field *field) {
    *field = IRQ_CASE_FIELD_MARKERS;
    return request->markers == IRQ_MARKERS_PAPER;
}

static void yield_to_partner(void) {
    goes_on = true;
    is_asked = false;
    xTaskNotifyGive(yielding.handle);
    taskYIELD(); /* from now on the partner is in its taskYIELD */
    for (; left != 0; left--) {
        wait_for_period();
        if (left == 1)
            goes_on = false; /* after its last marker it waits for a notification again */
        mark_start();
        do {
            taskYIELD();
        } while (is_asked); /* the partner lost the core to a slice of time before its marker */
    }
    stack_core()->finished = true;
}

static void notify_partner(void) {
    for (; left != 0; left--) {
        wait_for_period();
        mark_start();
        xTaskNotifyGive(notified.handle);
    }
    stack_core()->finished = true;
}

static void run(const irq_case_request_t *request, void (*work)(void)) {
    left = request->count;
    next = timer_now() + period;
    freertos_run_batch(work);
}

static void run_yields(const irq_case_request_t *request, struct case_result *result) {
    (void)result;
    create(&yielding, run_yielding, PRIORITY_APPLICATION);
    run(request, yield_to_partner);
}

static void run_notifications(const irq_case_request_t *request, struct case_result *result) {
    (void)result;
    create(&notified, run_notified, PRIORITY_WOKEN);
    run(request, notify_partner);
}

#define USES_SWITCH (USES(PAGES) | USES(WARM_UP) | USES(RAISE_PERIOD) | USES(TIMER_TICK_PERIOD))

static const struct case_kind case_switch_yield = {
    .id = IRQ_CASE_ID_SWITCH_YIELD,
    .uses = USES_SWITCH,
    .counted = true,
    .is_valid = is_valid,
    .prepare = prepare,
    .run = run_yields,
};
CASE(case_switch_yield);

static const struct case_kind case_switch_notification = {
    .id = IRQ_CASE_ID_SWITCH_NOTIFICATION,
    .uses = USES_SWITCH,
    .counted = true,
    .is_valid = is_valid,
    .prepare = prepare,
    .run = run_notifications,
};
CASE(case_switch_notification);
