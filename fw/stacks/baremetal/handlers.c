/* The C part of the path from interrupt to handler, and the code between two waits. This file and
 * its assembly are linked together and refer to anything else only by pointer, so they can be
 * copied as one piece to where they run. */
#include "description.h"
#include "generated/messages.h"
#include "machine/marker.h"
#include "machine/timer.h"
#include "stacks/baremetal/core.h"

#define STAGES_CHANGE(code) MARKER_CHANGE(IRQSCOPE_MARKER_VECTOR, code)

/* Labels of idle.S; hidden, so that they are found by their distance in any copy. */
#define LABEL extern __attribute__((visibility("hidden"))) const char
LABEL idle_first[], idle_last[], idle_wake[], idle_finish[];

/* The assembly calls these. A rest is what follows a handler's marker. */
void baremetal_paper_rest(uint32_t iar);
void baremetal_stages_rest(uint32_t iar);
void baremetal_handler_paper(uint32_t iar);
void baremetal_handler_paper_stm(uint32_t iar);
void baremetal_handler_stm_paper(uint32_t iar);
void baremetal_handler_stages(uint32_t iar);
void baremetal_unmeasured_paper(uint32_t iar);
void baremetal_unmeasured_stages(uint32_t iar);
bool baremetal_woken(void);

/* If an idle loop was interrupted, returns to `label` instead, with interrupts masked. */
static bool leave_idle(const char *label) {
    uintptr_t interrupted = interrupted_at();
    if (interrupted < (uintptr_t)idle_first || interrupted >= (uintptr_t)idle_last)
        return false;
    return_masked_to((uintptr_t)label);
    return true;
}

/* The code after the handler's marker is a separate function, so that the compiler does not move it
 * first. */
__attribute__((noinline)) void baremetal_paper_rest(uint32_t iar) {
    struct baremetal_core *core = baremetal_here();
    if (core->stack.after_marker != NULL)
        core->stack.after_marker();
    core->stack.handled++;
    stack_wait_until_line_is_low(&core->stack);
    if (core->wakes || core->stack.before_wait != NULL)
        (void)leave_idle(idle_wake);
    irq_end(iar);
}

__attribute__((noinline)) void baremetal_stages_rest(uint32_t iar) {
    struct baremetal_core *core = baremetal_here();
    if (core->stack.after_marker != NULL)
        core->stack.after_marker();
    core->stack.handled++;
    stack_wait_until_line_is_low(&core->stack);
    if (!leave_idle(idle_wake))
        core->task_ready = true;
    irq_end(iar);
    marker_send(STAGES_CHANGE(IRQSCOPE_MARKER_DONE));
}

void baremetal_handler_paper(uint32_t iar) {
    marker_send_first();
    baremetal_paper_rest(iar);
}

#if MACHINE_HAS_STM
void baremetal_handler_paper_stm(uint32_t iar) {
    marker_send_first_then_stm();
    baremetal_paper_rest(iar);
}

void baremetal_handler_stm_paper(uint32_t iar) {
    marker_send_first_behind_stm();
    baremetal_paper_rest(iar);
}
#endif

void baremetal_handler_stages(uint32_t iar) {
    marker_send_second(STAGES_CHANGE(IRQSCOPE_MARKER_HANDLER));
    baremetal_stages_rest(iar);
}

static void handler_finished(struct baremetal_core *core, uint32_t iar) {
    /* The gateware's line stays high until it is disarmed. */
    irq_disable_here(iar & IRQ_ID_MASK);
    if (!leave_idle(idle_finish))
        core->stack.finished = true;
    irq_end(iar);
}

/* The timer tick: the timer goes on from where it was due, not from now. A level that has not
 * yet fallen at the interrupt controller's input when the handler ends fires once more; that is
 * no timer tick. */
static void handler_timer_tick(struct baremetal_core *core, uint32_t iar) {
    if (timer_is_due()) {
        timer_set_due(timer_due() + core->stack.timer_tick_period);
        core->stack.timer_ticks++;
        for (uint32_t loop = 0; loop < core->stack.timer_tick_work; loop++)
            __asm__ volatile("");
    }
    irq_end(iar);
}

static void handler_other(struct baremetal_core *core, uint32_t iar) {
    uint32_t id = iar & IRQ_ID_MASK;
    core->stack.others++;
    if ((core->stack.background[id / 32] >> (id % 32) & 1) == 0)
        irq_disable_here(id); /* nobody asked for it: a level would fire for ever */
    irq_end(iar);
}

void baremetal_unmeasured_paper(uint32_t iar) {
    struct baremetal_core *core = baremetal_here();
    uint32_t id = iar & IRQ_ID_MASK;
    if (id == core->stack.finish)
        handler_finished(core, iar);
    else if (id >= IRQ_FIRST_SPECIAL)
        core->stack.spurious++; /* names no interrupt, so there is nothing to end */
    else if (id == IRQ_TIMER_TICK && core->stack.timer_tick_period != 0)
        handler_timer_tick(core, iar);
    else
        handler_other(core, iar);
}

/* The vector's marker has no second: its toggle is written back after all. */
void baremetal_unmeasured_stages(uint32_t iar) {
    marker_skip_second();
    baremetal_unmeasured_paper(iar);
}

/* The task: nothing but its marker. Entered and left with interrupts masked. */
static void run_task(struct baremetal_core *core) {
    do {
        marker_send(STAGES_CHANGE(IRQSCOPE_MARKER_TASK));
        core->task_ready = false;
        interrupts_unmask();
        isb();
        interrupts_mask();
    } while (core->task_ready);
}

/* What runs between two waits; true if no other wait follows. */
bool baremetal_woken(void) {
    struct baremetal_core *core = baremetal_here();
    if (core->stages)
        run_task(core);
    if (core->remaining != 0 && --core->remaining == 0)
        core->stack.finished = true;
    return core->stack.finished;
}
