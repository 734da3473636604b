#include "stacks/baremetal/baremetal.h"

#include "generated/messages.h"
#include "soc/cpu.h"
#include "soc/gic.h"
#include "soc/marker.h"

/* Each marker set begins with this one (soc/marker.h). */
#define PAPER_FIRST IRQSCOPE_MARKER_HANDLER
#define STAGES_FIRST IRQSCOPE_MARKER_VECTOR
#define STAGES_CHANGE(code) MARKER_CHANGE(STAGES_FIRST, code)

/* Labels of idle.S. */
extern const char idle_first[], idle_last[], idle_wake[], idle_finish[];

typedef void (*handler_t)(uint32_t iar);

/* Called from vectors.S. */
void baremetal_handler_paper(uint32_t iar);
void baremetal_handler_stages(uint32_t iar);
void baremetal_unmeasured_paper(uint32_t iar);
void baremetal_unmeasured_stages(uint32_t iar);
bool baremetal_task(void);

handler_t baremetal_handlers[GIC_ID_MASK + 1];
struct baremetal_counts baremetal_counts;

static unsigned measured_id;

/* Where the measured line's level is read, if the handler has to wait for it to fall. */
static volatile const uint32_t *level_register;
static uint32_t level_mask;

static volatile bool task_ready, batch_finished;

static const char *const tables[2][2] = {
    [IRQ_MARKERS_PAPER] = {[IRQ_DISPATCHER_DIRECT] = vectors_paper_direct,
                           [IRQ_DISPATCHER_TABLE] = vectors_paper_table},
    [IRQ_MARKERS_STAGES] = {[IRQ_DISPATCHER_DIRECT] = vectors_stages_direct,
                            [IRQ_DISPATCHER_TABLE] = vectors_stages_table},
};

/* If an idle loop was interrupted, returns to `label` instead, with interrupts masked. */
static bool leave_idle(const char *label) {
    uintptr_t interrupted = READ_SYSREG(elr_el3);
    if (interrupted < (uintptr_t)idle_first || interrupted >= (uintptr_t)idle_last)
        return false;
    WRITE_SYSREG(elr_el3, (uintptr_t)label);
    WRITE_SYSREG(spsr_el3, READ_SYSREG(spsr_el3) | SPSR_I);
    return true;
}

/* A level interrupt that ends while its line is high fires again. The line falls by itself at the
 * latest after its `high`: the wait ends. */
static inline void wait_until_line_is_low(void) {
    if (level_mask != 0)
        while (*level_register & level_mask) {
        }
}

static inline void end_of_interrupt(uint32_t iar) { GICC->eoir = iar; }

/* What follows the handler's marker is a function of its own, or a compiler would begin with it. */
static __attribute__((noinline)) void paper_rest(uint32_t iar) {
    baremetal_counts.handled++;
    wait_until_line_is_low();
    end_of_interrupt(iar);
}

static __attribute__((noinline)) void stages_rest(uint32_t iar) {
    baremetal_counts.handled++;
    wait_until_line_is_low();
    if (!leave_idle(idle_wake))
        task_ready = true;
    end_of_interrupt(iar);
    marker_send(STAGES_CHANGE(IRQSCOPE_MARKER_DONE));
}

void baremetal_handler_paper(uint32_t iar) {
    marker_send_first();
    paper_rest(iar);
}

void baremetal_handler_stages(uint32_t iar) {
    marker_send_second(STAGES_CHANGE(IRQSCOPE_MARKER_HANDLER));
    stages_rest(iar);
}

static void handler_finished(uint32_t iar) {
    /* The line stays high until the gateware is disarmed. */
    gic_disable(IRQ_FINISHED);
    if (!leave_idle(idle_finish))
        batch_finished = true;
    end_of_interrupt(iar);
}

static void handler_spurious(uint32_t iar) {
    (void)iar; /* names no interrupt: there is none to end */
    baremetal_counts.spurious++;
}

static void handler_other(uint32_t iar) {
    baremetal_counts.others++;
    gic_disable(iar & GIC_ID_MASK); /* or a level would fire for ever */
    end_of_interrupt(iar);
}

static handler_t unmeasured_handler(unsigned id) {
    if (id == IRQ_FINISHED)
        return handler_finished;
    return id >= GIC_FIRST_SPECIAL ? handler_spurious : handler_other;
}

void baremetal_unmeasured_paper(uint32_t iar) { unmeasured_handler(iar & GIC_ID_MASK)(iar); }

/* The vector's marker has no second: its toggle is written back after all. */
void baremetal_unmeasured_stages(uint32_t iar) {
    marker_skip_second();
    baremetal_unmeasured_paper(iar);
}

/* The task: nothing but its marker. Entered and left with interrupts masked; true when the batch
 * ended meanwhile. */
bool baremetal_task(void) {
    do {
        marker_send(STAGES_CHANGE(IRQSCOPE_MARKER_TASK));
        task_ready = false;
        interrupts_unmask();
        isb();
        interrupts_mask();
    } while (task_ready);
    return batch_finished;
}

void baremetal_prepare(unsigned id, unsigned markers, unsigned dispatcher) {
    bool stages = markers == IRQ_MARKERS_STAGES;
    measured_id = id;
    for (unsigned other = 0; other <= GIC_ID_MASK; other++)
        baremetal_handlers[other] =
            stages ? baremetal_unmeasured_stages : baremetal_unmeasured_paper;
    baremetal_handlers[id] = stages ? baremetal_handler_stages : baremetal_handler_paper;
    WRITE_SYSREG(tpidr_el1, id);
    WRITE_SYSREG(vbar_el3, (uintptr_t)tables[markers][dispatcher]);
    isb();
}

void baremetal_in_force(uint8_t *markers, uint8_t *dispatcher) {
    for (uint8_t m = 0; m < 2; m++)
        for (uint8_t d = 0; d < 2; d++)
            if (READ_SYSREG(vbar_el3) == (uintptr_t)tables[m][d]) {
                *markers = m;
                *dispatcher = d;
            }
}

enum irqscope_marker baremetal_first_marker(unsigned markers) {
    return markers == IRQ_MARKERS_STAGES ? STAGES_FIRST : PAPER_FIRST;
}

void baremetal_begin(bool wait_low) {
    uint8_t markers, dispatcher;
    baremetal_in_force(&markers, &dispatcher);
    marker_set_first(baremetal_first_marker(markers));
    level_mask = 0;
    if (wait_low && measured_id == IRQ_LEGACY_PPI) {
        level_register = &GICD->ppisr;
        level_mask = GICD_PPISR_LEGACY;
    } else if (wait_low) {
        level_register = &GICD->spisr[measured_id / 32 - 1];
        level_mask = UINT32_C(1) << (measured_id % 32);
    }
    baremetal_counts = (struct baremetal_counts){0};
    task_ready = false;
    batch_finished = false;
}

bool baremetal_finished(void) { return batch_finished; }
