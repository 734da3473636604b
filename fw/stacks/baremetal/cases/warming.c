#include "stacks/baremetal/cases/warming.h"

#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/marker.h"
#include "stacks/baremetal/baremetal.h"

/* More urgent than anything that may be pending. */
#define PRIORITY_WARM 0

static unsigned warm_id;

void warming_prepare(unsigned measured_id) {
    struct baremetal_core *core = baremetal_here();
    warm_id = measured_id == 0 ? 1 : 0;
    core->handlers[warm_id] = core->handlers[measured_id];
    irq_configure(warm_id, PRIORITY_WARM, 0, IRQ_BY_EDGE);
}

void warming_run(void) {
    struct baremetal_core *core = baremetal_here();
    volatile uint32_t *handled = &core->stack.handled;
    uint32_t before = *handled, level_mask = core->stack.level_mask;
    uint64_t id = core_word(), marker = marker_word();

    irq_disable((unsigned)id); /* what comes now stays pending */
    irq_let(IRQ_PRIORITY_STEP);
    core->stack.level_mask = 0;
    set_core_word(warm_id);
    marker_set_word(marker | MARKER_PROTECTED);
    irq_send(warm_id, (uint8_t)(1u << cpu_number()));
    interrupts_unmask();
    while (*handled == before) { /* the way of an SGI cannot be broken */
    }
    interrupts_mask();

    marker_set_word(marker);
    set_core_word(id);
    core->stack.level_mask = level_mask;
    core->task_ready = false;
    *handled = before;
    irq_let_all();
    irq_enable((unsigned)id);
}
