/* The C side of the path from interrupt to handler, and what runs between two waits. This file and
 * the assembly beside it stand together and name nothing outside but by pointer: they can be copied
 * as one piece to where they shall run. */
#include "generated/messages.h"
#include "soc/marker.h"
#include "soc/timer.h"
#include "stacks/baremetal/core.h"

#define STAGES_CHANGE(code) MARKER_CHANGE(IRQSCOPE_MARKER_VECTOR, code)

/* Labels of idle.S. */
extern const char idle_first[], idle_last[], idle_wake[], idle_finish[];

/* Called from the assembly. */
void baremetal_handler_paper(uint32_t iar);
void baremetal_handler_paper_stm(uint32_t iar);
void baremetal_handler_stm_paper(uint32_t iar);
void baremetal_handler_stages(uint32_t iar);
void baremetal_unmeasured_paper(uint32_t iar);
void baremetal_unmeasured_stages(uint32_t iar);
bool baremetal_woken(void);

/* If an idle loop was interrupted, returns to `label` instead, with interrupts masked. */
static bool leave_idle(const char *label) {
    uintptr_t interrupted = READ_SYSREG(elr_el3);
    if (interrupted < (uintptr_t)idle_first || interrupted >= (uintptr_t)idle_last)
        return false;
    WRITE_SYSREG(elr_el3, (uintptr_t)label);
    WRITE_SYSREG(spsr_el3, READ_SYSREG(spsr_el3) | SPSR_I);
    return true;
}

static inline void end_of_interrupt(uint32_t iar) { GICC->eoir = iar; }

static inline void disable(uint32_t id) {
    GICD->icenabler[id / 32] = UINT32_C(1) << (id % 32);
    dsb();
}

/* What follows the handler's marker is a function of its own, or a compiler would begin with it. */
static __attribute__((noinline)) void paper_rest(uint32_t iar) {
    struct baremetal_core *core = baremetal_here();
    if (core->stack.after_marker != NULL)
        core->stack.after_marker();
    core->stack.handled++;
    stack_wait_until_line_is_low(&core->stack);
    if (core->wakes || core->stack.before_wait != NULL)
        (void)leave_idle(idle_wake);
    end_of_interrupt(iar);
}

static __attribute__((noinline)) void stages_rest(uint32_t iar) {
    struct baremetal_core *core = baremetal_here();
    if (core->stack.after_marker != NULL)
        core->stack.after_marker();
    core->stack.handled++;
    stack_wait_until_line_is_low(&core->stack);
    if (!leave_idle(idle_wake))
        core->task_ready = true;
    end_of_interrupt(iar);
    marker_send(STAGES_CHANGE(IRQSCOPE_MARKER_DONE));
}

void baremetal_handler_paper(uint32_t iar) {
    marker_send_first();
    paper_rest(iar);
}

void baremetal_handler_paper_stm(uint32_t iar) {
    marker_send_first_then_stm();
    paper_rest(iar);
}

void baremetal_handler_stm_paper(uint32_t iar) {
    marker_send_first_behind_stm();
    paper_rest(iar);
}

void baremetal_handler_stages(uint32_t iar) {
    marker_send_second(STAGES_CHANGE(IRQSCOPE_MARKER_HANDLER));
    stages_rest(iar);
}

static void handler_finished(struct baremetal_core *core, uint32_t iar) {
    /* The gateware's line stays high until it is disarmed. */
    disable(iar & GIC_ID_MASK);
    if (!leave_idle(idle_finish))
        core->stack.finished = true;
    end_of_interrupt(iar);
}

/* The software tick: the timer goes on from where it was due, not from now. A level that has not
 * reached the interrupt controller's input yet when the handler ends fires once more: no tick. */
static void handler_tick(struct baremetal_core *core, uint32_t iar) {
    if (timer_is_due()) {
        timer_set_due(timer_due() + core->stack.tick_period);
        core->stack.ticks++;
        for (uint32_t loop = 0; loop < core->stack.tick_work; loop++)
            __asm__ volatile("");
    }
    end_of_interrupt(iar);
}

static void handler_other(struct baremetal_core *core, uint32_t iar) {
    uint32_t id = iar & GIC_ID_MASK;
    core->stack.others++;
    if ((core->stack.further[id / 32] >> (id % 32) & 1) == 0)
        disable(id); /* nobody asked for it: a level would fire for ever */
    end_of_interrupt(iar);
}

void baremetal_unmeasured_paper(uint32_t iar) {
    struct baremetal_core *core = baremetal_here();
    uint32_t id = iar & GIC_ID_MASK;
    if (id == core->stack.finish)
        handler_finished(core, iar);
    else if (id >= GIC_FIRST_SPECIAL)
        core->stack.spurious++; /* names no interrupt: there is none to end */
    else if (id == IRQ_SECURE_TIMER && core->stack.tick_period != 0)
        handler_tick(core, iar);
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

/* Between two waits; true if there is no other. */
bool baremetal_woken(void) {
    struct baremetal_core *core = baremetal_here();
    if (core->stages)
        run_task(core);
    if (core->remaining != 0 && --core->remaining == 0)
        core->stack.finished = true;
    return core->stack.finished;
}
