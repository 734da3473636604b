#include "cases/parts/line_interrupts.h"

#include "cases/interrupts.h"
#include "machine/irq.h"
#include "stacks/baremetal/line_handlers.h"

static const uint16_t shared_ids[] = {MACHINE_SHARED_IDS};
static uint16_t own[LINE_HANDLERS]; /* IDs in use; 0: the line has none */

static void take_back(unsigned line) {
    if (own[line] != 0)
        irq_disable(own[line]);
    own[line] = 0;
}

void line_interrupts_note(const irq_case_request_t *request, const irq_line_request_t *line) {
    unsigned n = line->index;
    if (n == 0 || n >= LINE_HANDLERS)
        return;
    take_back(n);
    unsigned id = shared_ids[n];
    if (!line->enable || line->shared != 1u << n || id == request->interrupt)
        return;
    own[n] = (uint16_t)id;
    line_handlers_set(n, id);
    irq_configure(id, (uint8_t)(request->priority + IRQ_PRIORITY_STEP * n), 1,
                  (enum irq_sense)request->trigger);
    irq_clear_pending(id);
    irq_enable(id);
}

void line_interrupts_forget(void) {
    for (unsigned line = 0; line < LINE_HANDLERS; line++)
        take_back(line);
}
