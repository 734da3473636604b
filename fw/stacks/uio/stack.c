/* A user thread under Linux that reads /dev/uioN: marker `handler` is its first store after the
 * read has returned, `done` its last one, after Linux was told to hand the next interrupt on. */
#include "stacks/stack.h"

#include "machine/cpu.h"
#include "machine/kernel.h"
#include "machine/marker.h"
#include "stacks/load.h"

static char release[64], facts[KERNEL_FACTS_SIZE];
static struct stack_core core;
static unsigned measured;
static bool stages;

const struct stack stack_description = {
    .name = "uio",
    .version = release,
    .configuration = facts,
    .fields = 1u << IRQ_CASE_FIELD_BACKGROUND,
    .wake_priority = 0,
    .timer_tick_priority = IRQ_PRIORITY_LOW,
};

struct stack_core *stack_core(void) { return &core; }

static void read_kernel(void) {
    kernel_release(release, sizeof release);
    kernel_facts(facts, sizeof facts);
}

/* Nothing is loaded again: no fault of this thread leaves the process alive. */
void stack_load(void) {}

_Noreturn void stack_start(void (*application)(void)) {
    read_kernel();
    application();
    __builtin_unreachable();
}

/* What follows the read of a device. */
static void handle(unsigned id) {
    if (id == core.finish) {
        core.finished = true; /* its line is high until the gateware is disarmed: not armed again */
        irq_disable(id);
        return;
    }
    if (id != measured) {
        core.others++;
        irq_disable(id);
        return;
    }
    marker_send_first();
    core.handled++;
    if (core.level_mask != 0)
        marker_wait(); /* the line falls by the marker, before it may interrupt again */
    irq_rearm(id);
    if (stages)
        marker_send(MARKER_CHANGE(IRQSCOPE_MARKER_HANDLER, IRQSCOPE_MARKER_DONE));
}

void stack_prepare(unsigned id, unsigned finish, unsigned markers, unsigned dispatcher,
                   unsigned placement) {
    (void)dispatcher;
    (void)placement;
    core = (struct stack_core){.finish = finish};
    measured = id;
    stages = markers == IRQ_MARKERS_STAGES;
    cpu_set_handler(handle);
    read_kernel();
}

struct stack_readback stack_readback(void) {
    return (struct stack_readback){
        .markers = stages ? IRQ_MARKERS_STAGES : IRQ_MARKERS_PAPER,
        .dispatcher = IRQ_DISPATCHER_DIRECT,
        .placement = IRQ_PLACEMENT_DDR,
    };
}

void stack_begin(void) {
    core.finished = false;
    core.level_mask = 0;
    core.handled = core.held = core.spurious = core.others = core.timer_ticks = core.nested = 0;
    marker_set_first(IRQSCOPE_MARKER_HANDLER);
}

uint64_t stack_wait(const struct stack_waiting *how) {
    uint64_t waits = 0;
    while (!core.finished) {
        waits++;
        handle(irq_wait(measured, how->spin) ? measured : core.finish);
    }
    return waits;
}

uint64_t stack_write(uint32_t *array, uint64_t words, uint64_t *state) {
    (void)array;
    (void)words;
    (void)state;
    return 0; /* no case of this machine writes */
}
