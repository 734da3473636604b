/* Bare metal as an application of the vendor's standalone BSP would be: a main loop that waits, and
 * a handler registered with the driver of the interrupt controller. */
#include "stacks/standalone/standalone.h"

#include "cases/kind.h"
#include "lib/memory.h"
#include "machine/cpu.h"
#include "machine/marker.h"
#include "machine/places.h"
#include "machine/start.h"

/* What T7 writes. */
#define WRITTEN UINT32_C(0x5A5A5A5A)

#if !STANDALONE_TRAPS_FP
#define FP_TEXT "FP neither trapped nor saved"
#elif STANDALONE_FP_IN_HANDLER
#define FP_TEXT "FP trapped, handler uses it: q0-q31 saved"
#else
#define FP_TEXT "FP trapped, handler uses none"
#endif

const struct stack stack_description = {
    .name = "standalone",
    .version = "shape of the vendor's BSP " STANDALONE_BSP,
    .configuration = "table of handlers; " FP_TEXT "; no kernel",
    .fields = USES(MARKERS) | USES(CORES) | USES(PAGES) | USES(WARM_UP) | USES(BACKGROUND) |
              USES(RAISE_PERIOD) | USES(TIMER_TICK_PERIOD) | USES(TIMER_TICK_WORK) |
              USES(ARRAY_KIB) | USES(LOAD_SEED),
    .wake_priority = 0,
    .timer_tick_priority = IRQ_PRIORITY_LOW,
};

struct standalone_core standalone_core;
uint8_t *volatile standalone_waiting;
uint8_t standalone_fp_context[32 * 16 + 2 * 8] __attribute__((aligned(16)));
uint8_t standalone_fp_used;
uint8_t *standalone_fp_next;

struct stack_core *stack_core(void) { return &standalone_core.stack; }

_Noreturn void stack_start(void (*application)(void)) {
    standalone_waiting = NULL;
    /* It is as if a main program had used FP before: its first use makes a place to save FP
     * registers. */
    standalone_fp_used = STANDALONE_FP_IN_HANDLER;
    standalone_fp_next = standalone_fp_context;
    trap_fp(!STANDALONE_FP_IN_HANDLER);
    isb();
    application();
    __builtin_unreachable();
}

/* ---- what a case asks for -------------------------------------------------------------------- */

static const callback_t measured_by[] = {
    [IRQ_MARKERS_PAPER] = standalone_handler_paper,
    [IRQ_MARKERS_STAGES] = standalone_handler_stages,
    [IRQ_MARKERS_PAPER_STM] = standalone_handler_paper_stm,
    [IRQ_MARKERS_STM_PAPER] = standalone_handler_stm_paper,
};

static void register_handlers(unsigned measured) {
    struct controller_configuration *configuration = &standalone_configuration;
    configuration->cpu_interface = IRQ_CORE_BASE;
    configuration->distributor = IRQ_CONTROLLER_BASE;
    for (unsigned id = 0; id < TABLE_IDS; id++)
        configuration->handlers[id] =
            (struct table_entry){standalone_unmeasured, (void *)(uintptr_t)id};
    configuration->handlers[measured] =
        (struct table_entry){standalone_core.measured, &standalone_core};
    standalone_controller = (struct controller){.configuration = configuration, .ready = 1};
    standalone_exceptions[EXCEPTION_IRQ] =
        (struct table_entry){standalone_acknowledge, &standalone_controller};
}

void stack_prepare(unsigned id, unsigned finish, unsigned markers, unsigned dispatcher,
                   unsigned placement) {
    bool stages = markers == IRQ_MARKERS_STAGES;
    (void)dispatcher, (void)placement; /* it has one of each: stack_readback says which */
    memset(&standalone_core, 0, sizeof standalone_core);
    standalone_core.stack.finish = finish;
    standalone_core.stages = stages;
    standalone_core.measured = measured_by[markers];
    register_handlers(id);
    set_vectors((uintptr_t)(stages ? standalone_vectors_stages : standalone_vectors_paper));
    isb();
}

/* The marker set to which the vectors and their handler belong. */
static unsigned markers_readback(uint64_t vbar) {
    if (vbar == (uintptr_t)standalone_vectors_stages)
        return IRQ_MARKERS_STAGES;
    unsigned markers = IRQ_MARKERS_STM_PAPER;
    while (markers != IRQ_MARKERS_PAPER && measured_by[markers] != standalone_core.measured)
        markers--;
    return markers;
}

struct stack_readback stack_readback(void) {
    uint64_t vbar = vectors();
    return (struct stack_readback){
        .markers = (uint8_t)markers_readback(vbar),
        .dispatcher = IRQ_DISPATCHER_TABLE,
        .placement = PROGRAM_PLACEMENT,
        .vbar = vbar,
        .handler = (uintptr_t)standalone_core.measured,
        .call_stack = call_stack_top(),
    };
}

void stack_begin(void) {
    struct stack_core *core = &standalone_core.stack;
    core->level_mask = 0;
    core->finished = standalone_core.task_ready = false;
    core->handled = core->held = core->spurious = core->others = core->timer_ticks = 0;
    marker_set_first(stack_first_marker(markers_readback(vectors())));
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* The task that the handler woke: nothing but its marker. */
static void task(void) {
    standalone_core.task_ready = false;
    marker_send(MARKER_CHANGE(IRQSCOPE_MARKER_VECTOR, IRQSCOPE_MARKER_TASK));
}

uint64_t stack_wait(const struct stack_waiting *how) {
    uint64_t begun = 0;
    while (!standalone_core.stack.finished) {
        if (standalone_core.stack.before_wait != NULL)
            standalone_core.stack.before_wait();
        begun += standalone_wait(how->spin);
        if (standalone_core.task_ready)
            task();
    }
    return begun;
}

uint64_t stack_write(uint32_t *array, uint64_t words, uint64_t *state) {
    uint64_t written = 0, random = *state;
    interrupts_unmask();
    for (; !standalone_core.stack.finished; written++) {
        if (standalone_core.stack.before_wait != NULL)
            standalone_core.stack.before_wait();
        /* xorshift (Marsaglia 2003: 13, 7, 17), as bare metal's. */
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        array[(random >> 32) * words >> 32] = WRITTEN;
    }
    interrupts_mask();
    *state = random;
    return written;
}
