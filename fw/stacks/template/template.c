/* A software stack to begin one's own with (docs/stacks.md): vectors, a dispatcher and a
 * cooperative loop that sleeps, and runs a task when a handler asks for it. It does what every case
 * but the ones of bare metal alone asks, without on-chip memory, timer tick, divided clock or SGIs
 * of its own. */
#include "cases/kind.h"
#include "lib/memory.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/marker.h"
#include "machine/start.h"
#include "stacks/stack.h"

/* What T7 writes. */
#define WRITTEN 0x5A5A5A5A

#define STAGES_CHANGE(code) MARKER_CHANGE(IRQSCOPE_MARKER_VECTOR, code)

const struct stack stack_description = {
    .name = "template",
    .version = "1",
    .configuration = "cooperative loop; one task; no timer tick",
    .fields = USES(CORES) | USES(PAGES) | USES(WARM_UP) | USES(BACKGROUND) | USES(RAISE_PERIOD) |
              USES(ARRAY_KIB) | USES(LOAD_SEED),
    .wake_priority = 0,
};

extern const char vectors_template_paper[], vectors_template_stages[];

void template_handler(uint32_t iar);
void template_dispatch(void); /* called by vectors.S */

static struct stack_core core;
static unsigned measured;
static bool stages;
static volatile bool task_ready;

struct stack_core *stack_core(void) { return &core; }

_Noreturn void stack_start(void (*application)(void)) {
    application();
    __builtin_unreachable();
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* Handles the measured interrupt. The marker is its first statement, as in any handler that is
 * measured. To spare the decision before it, write a handler for each marker set. */
void template_handler(uint32_t iar) {
    if (stages)
        marker_send_second(STAGES_CHANGE(IRQSCOPE_MARKER_HANDLER));
    else
        marker_send_first();
    if (core.after_marker != NULL)
        core.after_marker();
    core.handled++;
    task_ready = true;
    stack_wait_until_line_is_low(&core);
    irq_end(iar);
    if (stages)
        marker_send(STAGES_CHANGE(IRQSCOPE_MARKER_DONE));
}

static void handle_other(uint32_t iar) {
    unsigned id = iar & IRQ_ID_MASK;
    if (stages)
        marker_skip_second();
    if (id >= IRQ_FIRST_SPECIAL) {
        core.spurious++; /* names no interrupt, so there is nothing to end */
        return;
    }
    if (id == core.finish)
        core.finished = true;
    else
        core.others++;
    if ((core.background[id / 32] >> (id % 32) & 1) == 0)
        irq_disable(id); /* its line may stay high */
    irq_end(iar);
}

void template_dispatch(void) {
    uint32_t iar = irq_acknowledge();
    if ((iar & IRQ_ID_MASK) == measured)
        template_handler(iar);
    else
        handle_other(iar);
}

/* ---- what a case asks for -------------------------------------------------------------------- */

void stack_prepare(unsigned id, unsigned finish, unsigned markers, unsigned dispatcher,
                   unsigned placement) {
    (void)dispatcher, (void)placement; /* it has one of each: stack_readback says which */
    memset(&core, 0, sizeof core);
    core.finish = finish;
    measured = id;
    stages = markers == IRQ_MARKERS_STAGES;
    set_vectors((uintptr_t)(stages ? vectors_template_stages : vectors_template_paper));
    isb();
}

struct stack_readback stack_readback(void) {
    uint64_t vbar = vectors();
    return (struct stack_readback){
        .markers =
            vbar == (uintptr_t)vectors_template_stages ? IRQ_MARKERS_STAGES : IRQ_MARKERS_PAPER,
        .dispatcher = IRQ_DISPATCHER_DIRECT,
        .placement = PROGRAM_PLACEMENT,
        .vbar = vbar,
        .handler = (uintptr_t)template_handler,
        .call_stack = call_stack_top(),
    };
}

void stack_begin(void) {
    core.level_mask = 0;
    core.finished = task_ready = false;
    core.handled = core.held = core.spurious = core.others = core.timer_ticks = 0;
    marker_set_first(stack_first_marker(stages ? IRQ_MARKERS_STAGES : IRQ_MARKERS_PAPER));
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* The task that the handler woke: nothing but its marker. */
static void task(void) {
    task_ready = false;
    if (stages)
        marker_send(STAGES_CHANGE(IRQSCOPE_MARKER_TASK));
}

uint64_t stack_wait(const struct stack_waiting *how) {
    uint64_t begun = 0;
    while (!core.finished) {
        if (task_ready) {
            task();
            continue;
        }
        begun++;
        if (core.before_wait != NULL)
            core.before_wait();
        if (!how->spin)
            wait_for_interrupt(); /* masked, it wakes the core and is taken when that is over */
        interrupts_unmask();
        while (how->spin && !task_ready && !core.finished) {
        }
        isb();
        interrupts_mask();
    }
    return begun;
}

uint64_t stack_write(uint32_t *array, uint64_t words, uint64_t *state) {
    uint64_t written = 0, random = *state;
    interrupts_unmask();
    for (; !core.finished; written++) {
        if (core.before_wait != NULL)
            core.before_wait();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        array[(random >> 32) * words >> 32] = WRITTEN;
    }
    interrupts_mask();
    *state = random;
    return written;
}
