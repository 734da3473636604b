/* The way from the port's vector to handlers, the kernel's calls in them, and the kernel tick.
 * The port acknowledges the interrupt, calls vApplicationIRQHandler, ends the interrupt and then
 * switches tasks. */
#include "machine/cpu.h"
#include "machine/marker.h"
#include "stacks/freertos/freertos.h"

#define STAGES_CHANGE(code) MARKER_CHANGE(IRQSCOPE_MARKER_VECTOR, code)

/* Called by the port. */
void vApplicationIRQHandler(uint32_t iar);

void vApplicationIRQHandler(uint32_t iar) { freertos_core.dispatch(iar); }

void freertos_dispatch_direct(uint32_t iar) {
    if (iar == freertos_core.id)
        freertos_core.measured(iar);
    else
        freertos_core.unmeasured(iar);
}

void freertos_dispatch_table(uint32_t iar) { freertos_core.handlers[iar & IRQ_ID_MASK](iar); }

static void handle(struct stack_core *core) {
    if (core->after_marker != NULL)
        core->after_marker();
    core->handled++;
    stack_wait_until_line_is_low(core);
}

/* What follows the handler's marker is a function of its own, or a compiler would begin with it. */
static __attribute__((noinline)) void paper_rest(void) { handle(&freertos_core.stack); }

static __attribute__((noinline)) void stages_rest(void) {
    BaseType_t woken = pdFALSE;
    handle(&freertos_core.stack);
    vTaskNotifyGiveFromISR(freertos_core.woken, &woken);
    interrupts_mask(); /* a call of the kernel unmasks them */
    marker_send(STAGES_CHANGE(IRQSCOPE_MARKER_DONE));
    portYIELD_FROM_ISR(woken);
}

void freertos_handler_paper(uint32_t iar) {
    (void)iar;
    marker_send_first();
    paper_rest();
}

#if MACHINE_HAS_STM
void freertos_handler_paper_stm(uint32_t iar) {
    (void)iar;
    marker_send_first_then_stm();
    paper_rest();
}

void freertos_handler_stm_paper(uint32_t iar) {
    (void)iar;
    marker_send_first_behind_stm();
    paper_rest();
}
#endif

void freertos_handler_stages(uint32_t iar) {
    (void)iar;
    marker_send_second(STAGES_CHANGE(IRQSCOPE_MARKER_HANDLER));
    stages_rest();
}

static void handler_finished(struct stack_core *core) {
    BaseType_t woken = pdFALSE;
    irq_disable(core->finish); /* the gateware's line stays high until it is disarmed */
    core->finished = true;
    vTaskNotifyGiveFromISR(freertos_core.application, &woken);
    portYIELD_FROM_ISR(woken);
}

/* The timer goes on from where it was due, not from now. */
void freertos_clear_timer_tick(void) {
    timer_set_due(timer_due() + freertos_core.stack.timer_tick_period);
}

/* A level that has not yet fallen at the interrupt controller's input when the handler ends
 * fires once more; that does not count as a kernel tick. */
static void handler_kernel_tick(void) {
    if (timer_is_due())
        FreeRTOS_Tick_Handler();
}

static void handler_other(struct stack_core *core, unsigned id) {
    core->others++;
    if ((core->background[id / 32] >> (id % 32) & 1) == 0)
        irq_disable(id); /* nobody asked for it: a level would fire for ever */
}

void freertos_unmeasured_paper(uint32_t iar) {
    struct stack_core *core = &freertos_core.stack;
    unsigned id = iar & IRQ_ID_MASK;
    if (id == core->finish)
        handler_finished(core);
    else if (id >= IRQ_FIRST_SPECIAL)
        core->spurious++;
    else if (id == IRQ_TIMER_TICK && core->timer_tick_period != 0)
        handler_kernel_tick();
    else
        handler_other(core, id);
}

/* The vector's marker has no second: its toggle is written back after all. */
void freertos_unmeasured_stages(uint32_t iar) {
    marker_skip_second();
    freertos_unmeasured_paper(iar);
}
