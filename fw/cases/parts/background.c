#include "cases/parts/background.h"

#include "machine/irq.h"
#include "stacks/stack.h"

static irq_background_tail_t chosen[BACKGROUND_MAX];
static unsigned chosen_count;

static bool is_free(const irq_case_request_t *request, unsigned id) {
    return id != request->interrupt && id != IRQ_LINK && id != IRQ_FINISHED;
}

/* Fills ids[BACKGROUND_MAX] with the interrupts that are free; returns their number. */
static unsigned list(const irq_case_request_t *request, uint16_t ids[BACKGROUND_MAX]) {
    unsigned count = 0;
    for (unsigned i = 0; i < IRQ_IDS && count < BACKGROUND_MAX; i++) {
        unsigned id = irq_nth(i);
        if (irq_exists(id) && is_free(request, id))
            ids[count++] = (uint16_t)id;
    }
    return count;
}

bool background_is_valid(const irq_case_request_t *request, enum irq_case_field *field) {
    uint16_t ids[BACKGROUND_MAX];
    *field = IRQ_CASE_FIELD_BACKGROUND;
    return request->background != 0 && request->background <= list(request, ids);
}

static void enable(const irq_background_tail_t *background) {
    irq_clear_pending(background->id);
    irq_configure(background->id, background->priority, 1, IRQ_BY_EDGE);
    irq_enable(background->id);
}

/* Not every GIC lets an SGI be disabled, so its priority also becomes one that is never
 * signalled. */
static void disable(const irq_background_tail_t *background) {
    irq_disable(background->id);
    irq_configure(background->id, IRQ_PRIORITY_NEVER, 1, IRQ_BY_EDGE);
    irq_clear_pending(background->id);
}

static void read_back(irq_background_tail_t *background) {
    unsigned id = background->id;
    background->priority = irq_priority(id);
    background->targets = irq_targets(id);
    background->trigger = (uint8_t)irq_trigger(id);
    background->enabled = irq_is_enabled(id);
}

static uint8_t lowest(const irq_case_request_t *request, unsigned id) {
    bool is_timer_tick = id == IRQ_TIMER_TICK && request->timer_tick_period != 0;
    return is_timer_tick ? stack_description.timer_tick_priority : IRQ_PRIORITY_LOW;
}

void background_prepare_with(const irq_case_request_t *request, const uint8_t *priorities) {
    uint16_t ids[BACKGROUND_MAX];
    (void)list(request, ids);
    chosen_count = request->background;
    for (unsigned i = 0; i < chosen_count; i++) {
        bool is_ppi = ids[i] >= IRQ_FIRST_PRIVATE && ids[i] < IRQ_FIRST_SHARED;
        chosen[i] = (irq_background_tail_t){
            .id = ids[i],
            .priority = priorities == NULL ? lowest(request, ids[i]) : priorities[i],
            .raised = request->raise_period != 0 && !is_ppi, /* no other core can */
        };
        enable(&chosen[i]);
        read_back(&chosen[i]);
        disable(&chosen[i]);
        stack_core()->background[ids[i] / 32] |= UINT32_C(1) << (ids[i] % 32);
    }
}

void background_prepare(const irq_case_request_t *request) {
    background_prepare_with(request, NULL);
}

void background_forget(void) { chosen_count = 0; }

void background_begin(const irq_case_request_t *request, const irq_batch_request_t *batch) {
    (void)request, (void)batch;
    for (unsigned i = 0; i < chosen_count; i++)
        enable(&chosen[i]);
}

void background_end(const irq_case_request_t *request, struct case_result *result) {
    (void)request, (void)result;
    for (unsigned i = 0; i < chosen_count; i++)
        disable(&chosen[i]);
}

const irq_background_tail_t *background_chosen(unsigned *count) {
    *count = chosen_count;
    return chosen;
}
