#include "cases/validity.h"

#include "cases/interrupts.h"
#include "cases/parts/background.h"
#include "machine/clock.h"
#include "machine/cpu.h"
#include "machine/trace.h"
#include "machine/translation.h"
#include "stacks/stack.h"

#define ALL_STATES                                                                                 \
    (IRQ_CACHE_STATE_TLB | IRQ_CACHE_STATE_BP | IRQ_CACHE_STATE_L1I | IRQ_CACHE_STATE_L1D |        \
     IRQ_CACHE_STATE_L2)

/* The cases of this program (irqscope.ld). */
extern const struct case_kind *const cases_start[];
extern const struct case_kind *const cases_end[];

static const struct case_kind *find(uint8_t id) {
    for (const struct case_kind *const *listed = cases_start; listed < cases_end; listed++)
        if ((*listed)->id == id)
            return *listed;
    return NULL;
}

/* Whether each field that neither case nor stack uses has the value that adds nothing to T1. */
static bool adds_what_it_uses(const irq_case_request_t *request, uint32_t uses,
                              enum irq_case_field *field) {
    const struct {
        enum irq_case_field field;
        uint32_t value, plain;
    } additions[] = {
#define ADDITION(NAME, name, plain) {IRQ_CASE_FIELD_##NAME, request->name, plain},
        IRQ_CASE_ADDITIONS(ADDITION)
#undef ADDITION
    };
    for (size_t i = 0; i < sizeof additions / sizeof additions[0]; i++) {
        *field = additions[i].field;
        if (additions[i].value != additions[i].plain && (uses >> *field & 1) == 0)
            return false;
    }
    return true;
}

/* A stack can do the STM's markers if MARKERS is among its fields. */
static bool markers_are_possible(unsigned markers) {
    bool second = (stack_description.fields & USES(MARKERS)) != 0 && trace_is_ready();
    return markers <= IRQ_MARKERS_STAGES || (trace_is_of(markers) && second);
}

static bool values_are_known(const irq_case_request_t *request, enum irq_case_field *field) {
    bool low_ones = request->background != 0 || request->timer_tick_period != 0;
    bool wakes = request->markers == IRQ_MARKERS_STAGES;
    const struct {
        enum irq_case_field field;
        bool good;
    } values[] = {
        {IRQ_CASE_FIELD_MARKERS, markers_are_possible(request->markers)},
        {IRQ_CASE_FIELD_IDLE, request->idle <= IRQ_IDLE_SPIN},
        {IRQ_CASE_FIELD_TRIGGER, request->trigger <= IRQ_TRIGGER_RISING_EDGE},
        {IRQ_CASE_FIELD_DISPATCHER, request->dispatcher <= IRQ_DISPATCHER_TABLE},
        {IRQ_CASE_FIELD_CACHES, request->caches <= 1 && (!CACHES_STAY_ON || request->caches)},
        {IRQ_CASE_FIELD_PRIORITY,
         request->priority < (low_ones ? IRQ_PRIORITY_LOW : IRQ_PRIORITY_LAST) &&
             (!wakes || request->priority >= stack_description.wake_priority)},
        {IRQ_CASE_FIELD_CORE, request->core == cpu_number()},
        {IRQ_CASE_FIELD_CORES, request->cores >= 1 && request->cores <= CORES},
        {IRQ_CASE_FIELD_PLACEMENT,
         request->placement == IRQ_PLACEMENT_OCM || request->placement == PROGRAM_PLACEMENT},
        {IRQ_CASE_FIELD_PAGES, mmu_has(request->pages)},
        {IRQ_CASE_FIELD_MEMORY,
         request->memory <= (request->caches ? IRQ_MEMORY_NON_CACHEABLE : IRQ_MEMORY_CACHEABLE)},
        {IRQ_CASE_FIELD_STATE, request->state <= ALL_STATES},
        {IRQ_CASE_FIELD_WARM, request->warm <= 1},
        {IRQ_CASE_FIELD_AIMED, request->aimed <= 1},
        {IRQ_CASE_FIELD_TIMER_TICK_WORK,
         request->timer_tick_work == 0 || request->timer_tick_period != 0},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        *field = values[i].field;
        if (!values[i].good)
            return false;
    }
    return true;
}

/* The interrupt, how it is sensed, and how often software raises it. */
static bool source_is_good(const irq_case_request_t *request, const struct case_kind *wanted,
                           enum irq_case_field *field) {
    *field = IRQ_CASE_FIELD_INTERRUPT;
    bool by_itself = interrupt_is_software(request->interrupt) &&
                     (wanted->uses & stack_description.fields & USES_SGI) != 0;
    if (!by_itself && request->interrupt != IRQ_PRIVATE && !interrupt_is_shared(request->interrupt))
        return false;
    *field = IRQ_CASE_FIELD_TRIGGER;
    bool by_edge = request->trigger == IRQ_TRIGGER_RISING_EDGE;
    if ((by_itself && !by_edge) || (request->interrupt == IRQ_PRIVATE && by_edge))
        return false;
    *field = IRQ_CASE_FIELD_COUNT;
    if ((wanted->counted || by_itself) != (request->count != 0))
        return false;
    *field = IRQ_CASE_FIELD_RAISE_PERIOD;
    return !by_itself || request->raise_period != 0;
}

/* The clock is divided only in a sleep that the measured interrupt ends. */
static bool division_is_good(const irq_case_request_t *request, enum irq_case_field *field) {
    *field = IRQ_CASE_FIELD_DIVISOR;
    return request->divisor == 1 ||
           (request->divisor >= 1 && request->divisor <= CLOCK_DIVISOR_MAX &&
            request->idle == IRQ_IDLE_WFI && !interrupt_is_software(request->interrupt));
}

static bool fits(const irq_case_request_t *request, const struct case_kind *wanted,
                 enum irq_case_field *field) {
    uint32_t uses = wanted->uses & stack_description.fields;
    if (interrupt_is_software(request->interrupt) && (uses & USES_SGI) != 0)
        uses |= USES(RAISE_PERIOD);
    return values_are_known(request, field) && source_is_good(request, wanted, field) &&
           adds_what_it_uses(request, uses, field) && division_is_good(request, field) &&
           (wanted->is_valid == NULL || wanted->is_valid(request, field));
}

const struct case_kind *validity_of(const irq_case_request_t *request, enum irq_case_field *field) {
    const struct case_kind *wanted = find(request->case_id);
    *field = IRQ_CASE_FIELD_CASE_ID;
    return wanted != NULL && fits(request, wanted, field) ? wanted : NULL;
}
