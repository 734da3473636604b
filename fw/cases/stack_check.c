/* Whether the software stack keeps the promises of stacks/stack.h. Software makes the measured
 * interrupt pending, then the one that ends a batch; both paths run once, and their effects are
 * checked. Faults that would hang a batch are found before a wait, if possible. */
#include "cases/kind.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/marker.h"
#include "stacks/stack.h"

#define TRIES 1000

extern const char vectors_unexpected[];

static bool is_ended(unsigned id) { return !irq_is_active(id) && irq_is_idle(); }

/* Interrupts are unmasked for a moment each time, until this one has been taken. */
static void take(unsigned id) {
    irq_set_pending(id);
    for (unsigned tries = 0; tries < TRIES && irq_is_pending(id); tries++) {
        interrupts_unmask();
        isb();
        interrupts_mask();
    }
}

static irq_error_t wrong(enum irq_stack_fault fault, uint32_t seen) {
    interrupts_mask();
    irq_end_running();
    return (irq_error_t){IRQ_ERROR_CODE_STACK, fault, seen};
}

static irq_error_t check_handler(unsigned id) {
    unsigned before = marker_pins();
    take(id);
    unsigned after = marker_pins();
    if (irq_is_pending(id))
        return wrong(IRQ_STACK_FAULT_NOT_TAKEN, id);
    if (((before ^ after) & MARKER_TOGGLES) == 0)
        return wrong(IRQ_STACK_FAULT_NO_MARKER, 0);
    if ((after & ~MARKER_TOGGLES) != IRQSCOPE_MARKER_HANDLER)
        return wrong(IRQ_STACK_FAULT_WRONG_MARKER, after & ~MARKER_TOGGLES);
    if (stack_core()->handled != 1)
        return wrong(IRQ_STACK_FAULT_NOT_COUNTED, stack_core()->handled);
    if (!is_ended(id))
        return wrong(IRQ_STACK_FAULT_NOT_ENDED, id);
    return (irq_error_t){0};
}

static irq_error_t check_finish(void) {
    irq_enable(IRQ_FINISHED);
    take(IRQ_FINISHED);
    if (irq_is_pending(IRQ_FINISHED))
        return wrong(IRQ_STACK_FAULT_NOT_TAKEN, IRQ_FINISHED);
    if (!stack_core()->finished)
        return wrong(IRQ_STACK_FAULT_NOT_FINISHED, 0);
    if (irq_is_enabled(IRQ_FINISHED))
        return wrong(IRQ_STACK_FAULT_NOT_DISABLED, IRQ_FINISHED);
    if (!is_ended(IRQ_FINISHED))
        return wrong(IRQ_STACK_FAULT_NOT_ENDED, IRQ_FINISHED);
    return (irq_error_t){0};
}

/* The interrupt that ends a batch is there when the wait begins. */
static irq_error_t check_wait(void) {
    stack_begin();
    irq_enable(IRQ_FINISHED);
    irq_set_pending(IRQ_FINISHED);
    (void)stack_wait(&(struct stack_waiting){.spin = false});
    if (!interrupts_are_masked())
        return wrong(IRQ_STACK_FAULT_UNMASKED, 0);
    if (irq_is_enabled(IRQ_FINISHED)) /* the handler, which disables it, has not run */
        return wrong(IRQ_STACK_FAULT_NOT_WAITING, 0);
    return (irq_error_t){0};
}

/* A warm-up ends a wait from the hook. A stack that does not call the hook shows here: its wait
 * does not end. */
static void finish(void) { irq_set_pending(IRQ_FINISHED); }

static void check_hook(void) {
    if ((stack_description.fields & USES(WARM_UP)) == 0)
        return;
    stack_begin();
    stack_core()->before_wait = finish;
    irq_enable(IRQ_FINISHED);
    (void)stack_wait(&(struct stack_waiting){.spin = false});
    stack_core()->before_wait = NULL;
    irq_disable(IRQ_FINISHED);
    irq_clear_pending(IRQ_FINISHED);
}

static void run(const irq_case_request_t *request, struct case_result *result) {
    if (vectors() == (uintptr_t)vectors_unexpected) {
        result->error = wrong(IRQ_STACK_FAULT_NO_VECTORS, 0);
        return;
    }
    result->error = check_handler(request->interrupt);
    if (result->error.code == 0)
        result->error = check_finish();
    if (result->error.code == 0)
        result->error = check_wait();
    if (result->error.code == 0)
        check_hook();
}

static const struct case_kind case_stack_check = {
    .id = IRQ_CASE_ID_CAL_STACK,
    .uses = USES_STANDING,
    .takes_interrupts = true,
    .run = run,
};
CASE(case_stack_check);
