#include "cases/parts/further.h"

#include "machine/irq.h"
#include "stacks/stack.h"

static irq_further_tail_t chosen[FURTHER_MAX];
static unsigned chosen_count;

static bool is_free(const irq_case_request_t *request, unsigned id) {
    return id != request->interrupt && id != IRQ_LINK && id != IRQ_FINISHED;
}

/* Fills ids[FURTHER_MAX] with the interrupts that are free; returns their number. */
static unsigned list(const irq_case_request_t *request, uint16_t ids[FURTHER_MAX]) {
    unsigned count = 0;
    for (unsigned i = 0; i < IRQ_IDS && count < FURTHER_MAX; i++) {
        unsigned id = irq_nth(i);
        if (irq_exists(id) && is_free(request, id))
            ids[count++] = (uint16_t)id;
    }
    return count;
}

bool further_is_valid(const irq_case_request_t *request, enum irq_case_field *field) {
    uint16_t ids[FURTHER_MAX];
    *field = IRQ_CASE_FIELD_FURTHER;
    return request->further != 0 && request->further <= list(request, ids);
}

static void enable(const irq_further_tail_t *further) {
    irq_clear_pending(further->id);
    irq_configure(further->id, further->priority, 1, IRQ_BY_EDGE);
    irq_enable(further->id);
}

/* Not every GIC lets an SGI be disabled, so its priority also becomes one that is never
 * signalled. */
static void disable(const irq_further_tail_t *further) {
    irq_disable(further->id);
    irq_configure(further->id, IRQ_PRIORITY_NEVER, 1, IRQ_BY_EDGE);
    irq_clear_pending(further->id);
}

static void read_back(irq_further_tail_t *further) {
    unsigned id = further->id;
    further->priority = irq_priority(id);
    further->targets = irq_targets(id);
    further->trigger = (uint8_t)irq_trigger(id);
    further->enabled = irq_is_enabled(id);
}

static uint8_t lowest(const irq_case_request_t *request, unsigned id) {
    bool is_timer_tick = id == IRQ_TIMER_TICK && request->timer_tick_period != 0;
    return is_timer_tick ? stack_description.timer_tick_priority : IRQ_PRIORITY_LOW;
}

void further_prepare_with(const irq_case_request_t *request, const uint8_t *priorities) {
    uint16_t ids[FURTHER_MAX];
    (void)list(request, ids);
    chosen_count = request->further;
    for (unsigned i = 0; i < chosen_count; i++) {
        bool is_ppi = ids[i] >= IRQ_FIRST_PRIVATE && ids[i] < IRQ_FIRST_SHARED;
        chosen[i] = (irq_further_tail_t){
            .id = ids[i],
            .priority = priorities == NULL ? lowest(request, ids[i]) : priorities[i],
            .raised = request->raise_period != 0 && !is_ppi, /* no other core can */
        };
        enable(&chosen[i]);
        read_back(&chosen[i]);
        disable(&chosen[i]);
        stack_core()->further[ids[i] / 32] |= UINT32_C(1) << (ids[i] % 32);
    }
}

void further_prepare(const irq_case_request_t *request) { further_prepare_with(request, NULL); }

void further_forget(void) { chosen_count = 0; }

void further_begin(const irq_case_request_t *request, const irq_batch_request_t *batch) {
    (void)request, (void)batch;
    for (unsigned i = 0; i < chosen_count; i++)
        enable(&chosen[i]);
}

void further_end(const irq_case_request_t *request, struct case_result *result) {
    (void)request, (void)result;
    for (unsigned i = 0; i < chosen_count; i++)
        disable(&chosen[i]);
}

const irq_further_tail_t *further_chosen(unsigned *count) {
    *count = chosen_count;
    return chosen;
}
