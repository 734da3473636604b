#include "stacks/baremetal/baremetal.h"

#include "description.h"
#include "generated/messages.h"
#include "lib/memory.h"
#include "machine/caches.h"
#include "machine/clock.h"
#include "machine/marker.h"
#include "machine/places.h"
#include "machine/start.h"

/* What T7 writes. */
#define WRITTEN UINT64_C(0x5A5A5A5A)

/* The piece that can be copied (irqscope.ld), from a page's start on: ADRP counts in pages. */
extern const char stack_code_start[], stack_code_end[];
extern const char vectors_paper_direct[], vectors_paper_table[];
extern const char vectors_stages_direct[], vectors_stages_table[];
extern const char baremetal_handler_paper[], baremetal_handler_stages[];
#if MACHINE_HAS_STM
extern const char vectors_paper_stm_direct[], vectors_paper_stm_table[];
extern const char vectors_stm_paper_direct[], vectors_stm_paper_table[];
extern const char baremetal_handler_paper_stm[], baremetal_handler_stm_paper[];
#endif
extern const char baremetal_unmeasured_paper[], baremetal_unmeasured_stages[];
extern const char baremetal_loop[];
extern const char idle_wfi[], idle_spin[], idle_divided[], idle_raise[], idle_write[];

typedef uint64_t (*loop_t)(const void *loop, uintptr_t stack, uint64_t registers[4]);

static const char *const tables[MARKER_SETS][2] = {
    [IRQ_MARKERS_PAPER] = {[IRQ_DISPATCHER_DIRECT] = vectors_paper_direct,
                           [IRQ_DISPATCHER_TABLE] = vectors_paper_table},
    [IRQ_MARKERS_STAGES] = {[IRQ_DISPATCHER_DIRECT] = vectors_stages_direct,
                            [IRQ_DISPATCHER_TABLE] = vectors_stages_table},
#if MACHINE_HAS_STM
    [IRQ_MARKERS_PAPER_STM] = {[IRQ_DISPATCHER_DIRECT] = vectors_paper_stm_direct,
                               [IRQ_DISPATCHER_TABLE] = vectors_paper_stm_table},
    [IRQ_MARKERS_STM_PAPER] = {[IRQ_DISPATCHER_DIRECT] = vectors_stm_paper_direct,
                               [IRQ_DISPATCHER_TABLE] = vectors_stm_paper_table},
#endif
};

static const char *const measured[MARKER_SETS] = {
    [IRQ_MARKERS_PAPER] = baremetal_handler_paper,
    [IRQ_MARKERS_STAGES] = baremetal_handler_stages,
#if MACHINE_HAS_STM
    [IRQ_MARKERS_PAPER_STM] = baremetal_handler_paper_stm,
    [IRQ_MARKERS_STM_PAPER] = baremetal_handler_stm_paper,
#endif
};

/* A copy in on-chip memory holds code, core 0's record and core 0's call stack. A program that runs
 * from there has no other copy. */
#define COPIED (PROGRAM_ON_CHIP ? ~0u : (unsigned)IRQ_PLACEMENT_OCM) /* the placement */
#define OCM_RECORD (MEMORY_ON_CHIP + 0x10000)
#define OCM_CALL_STACK_TOP (MEMORY_ON_CHIP + 0x20000)
#define OCM_INTERRUPT_CALL_STACK_TOP (MEMORY_ON_CHIP + 0x21000)

static struct baremetal_core records[CORES];

static bool is_in_copy(uint64_t address) { return !PROGRAM_ON_CHIP && address >= MEMORY_ON_CHIP; }

/* The address of a label of the piece in the active copy. */
static uintptr_t current(const char *label) {
    uintptr_t offset = (uintptr_t)label - (uintptr_t)stack_code_start;
    return is_in_copy(vectors()) ? MEMORY_ON_CHIP + offset : (uintptr_t)label;
}

struct baremetal_core *baremetal_of(unsigned core) { return &records[core]; }

static struct baremetal_core *place(unsigned placement) {
    if (placement != COPIED)
        return &records[cpu_number()];
    memcpy((void *)MEMORY_ON_CHIP, stack_code_start, (size_t)(stack_code_end - stack_code_start));
    caches_flush(); /* what is fetched is what was written */
    return (struct baremetal_core *)OCM_RECORD;
}

void baremetal_prepare(unsigned id, unsigned finish, unsigned markers, unsigned dispatcher,
                       unsigned placement) {
    bool stages = markers == IRQ_MARKERS_STAGES;
    uintptr_t table = (uintptr_t)tables[markers][dispatcher];
    if (placement == COPIED)
        table += MEMORY_ON_CHIP - (uintptr_t)stack_code_start;
    struct baremetal_core *core = place(placement);
    memset(core, 0, sizeof *core);
    set_vectors(table);
    set_core_word(id);
    set_core_pointer(core);
    set_interrupt_call_stack(placement == COPIED ? OCM_INTERRUPT_CALL_STACK_TOP : 0);
    isb();
    core->stack.finish = finish;
    core->stages = stages;
    handler_t unmeasured =
        (handler_t)current(stages ? baremetal_unmeasured_stages : baremetal_unmeasured_paper);
    for (unsigned other = 0; other <= IRQ_ID_MASK; other++)
        core->handlers[other] = unmeasured;
    core->handlers[id] = (handler_t)current(measured[markers]);
}

struct stack_readback baremetal_readback(void) {
    struct stack_readback found = {.vbar = vectors()};
    found.placement = is_in_copy(found.vbar) ? IRQ_PLACEMENT_OCM : PROGRAM_PLACEMENT;
    found.handler = (uintptr_t)baremetal_here()->handlers[core_word()];
    found.call_stack =
        interrupt_call_stack(is_in_copy(found.vbar) ? OCM_CALL_STACK_TOP : call_stack_top());
    for (uint8_t m = 0; m < MARKER_SETS; m++)
        for (uint8_t d = 0; d < 2; d++)
            if (found.vbar == current(tables[m][d])) {
                found.markers = m;
                found.dispatcher = d;
            }
    return found;
}

void baremetal_zero_counts(struct baremetal_core *core) {
    core->stack.handled = core->stack.held = core->stack.spurious = 0;
    core->stack.others = core->stack.timer_ticks = core->stack.nested = 0;
}

static enum irqscope_marker first_marker(const struct baremetal_core *core) {
    return stack_first_marker(core->stages ? IRQ_MARKERS_STAGES : IRQ_MARKERS_PAPER);
}

void baremetal_begin(void) {
    struct baremetal_core *core = baremetal_here();
    marker_set_first(first_marker(core));
    core->stack.level_mask = 0;
    core->stack.finished = false;
    core->task_ready = false;
    core->remaining = 0;
    baremetal_zero_counts(core);
}

/* Runs a loop of idle.S, on the call stack that belongs to where the code is. */
static uint64_t loop(const char *label, uint64_t registers[4]) {
    uintptr_t call_stack = is_in_copy(vectors()) ? OCM_CALL_STACK_TOP : 0;
    return ((loop_t)current(baremetal_loop))((const void *)current(label), call_stack, registers);
}

uint64_t baremetal_wait(const struct stack_waiting *how) {
    struct baremetal_core *core = baremetal_here();
    const char *label = how->spin ? idle_spin : idle_wfi;
    core->wakes = how->raise_count != 0;
    if (how->raise_count != 0) {
        uint64_t registers[4] = {
            MARKER_CHANGE(first_marker(core), IRQSCOPE_MARKER_START),
            IRQ_SEND_WORD(uint64_t, how->raise_id, cpu_number()),
            current(label),
        };
        core->remaining = how->raise_count;
        return loop(idle_raise, registers);
    }
    uint64_t registers[4] = {how->sleep_clock, CLOCK_REGISTER};
    return loop(how->sleep_clock != 0 ? idle_divided : label, registers);
}

uint64_t baremetal_write(uint32_t *array, uint64_t words, uint64_t *state) {
    struct baremetal_core *core = baremetal_here();
    core->wakes = false;
    uint64_t registers[4] = {*state, (uintptr_t)array, words, WRITTEN};
    uint64_t written = loop(idle_write, registers);
    *state = registers[0];
    return written;
}
