/* What the application registers with the driver. The dispatcher ends the interrupt. */
#include "machine/marker.h"
#include "machine/timer.h"
#include "stacks/standalone/standalone.h"

#define STAGES_CHANGE(code) MARKER_CHANGE(IRQSCOPE_MARKER_VECTOR, code)

/* If the loop was interrupted, the exception returns after it, with interrupts masked. */
static void leave(void) {
    uint8_t *waiting = standalone_waiting;
    if (waiting == NULL)
        return;
#if STANDALONE_TRAPS_FP
    *(uint64_t *)(void *)(waiting + FRAME_ELR) = (uintptr_t)standalone_left;
    *(uint64_t *)(void *)(waiting + FRAME_SPSR) |= SPSR_I;
#else
    return_masked_to((uintptr_t)standalone_left);
#endif
}

/* An FP register in a handler: the first use of it traps. */
static inline void use_fp(void) {
#if STANDALONE_FP_IN_HANDLER
    __asm__ volatile(".arch_extension simd\n\tmovi v0.2d, #0");
#endif
}

/* What follows the handler's marker is a function of its own, or a compiler would begin with it. */
static __attribute__((noinline)) void handle(struct standalone_core *core) {
    if (core->stack.after_marker != NULL)
        core->stack.after_marker();
    core->stack.handled++;
    core->task_ready = core->stages;
    if (core->stages || core->stack.before_wait != NULL)
        leave();
    stack_wait_until_line_is_low(&core->stack);
}

void standalone_handler_paper(void *argument) {
    use_fp();
    marker_send_first();
    handle(argument);
}

void standalone_handler_paper_stm(void *argument) {
    use_fp();
    marker_send_first_then_stm();
    handle(argument);
}

void standalone_handler_stm_paper(void *argument) {
    use_fp();
    marker_send_first_behind_stm();
    handle(argument);
}

static __attribute__((noinline)) void handle_and_mark(struct standalone_core *core) {
    handle(core);
    marker_send(STAGES_CHANGE(IRQSCOPE_MARKER_DONE));
}

void standalone_handler_stages(void *argument) {
    use_fp();
    marker_send_second(STAGES_CHANGE(IRQSCOPE_MARKER_HANDLER));
    handle_and_mark(argument);
}

/* The timer goes on from where it was due, not from now. A level that has not yet fallen at the
 * interrupt controller's input when the handler ends fires once more; that does not count as a
 * timer tick. */
static void handle_timer_tick(struct stack_core *core) {
    if (!timer_is_due())
        return;
    timer_set_due(timer_due() + core->timer_tick_period);
    core->timer_ticks++;
    for (uint32_t loop = 0; loop < core->timer_tick_work; loop++)
        __asm__ volatile("");
}

void standalone_unmeasured(void *argument) {
    struct stack_core *core = &standalone_core.stack;
    unsigned id = (unsigned)(uintptr_t)argument;
    if (standalone_core.stages)
        marker_skip_second(); /* the vector's marker has no second: its toggle is written back */
    if (id == core->finish) {
        irq_disable(id); /* the gateware's line stays high until it is disarmed */
        core->finished = true;
        leave();
    } else if (id == IRQ_TIMER_TICK && core->timer_tick_period != 0) {
        handle_timer_tick(core);
    } else {
        core->others++;
        if ((core->background[id / 32] >> (id % 32) & 1) == 0)
            irq_disable(id); /* nobody asked for it: a level would fire for ever */
    }
}
