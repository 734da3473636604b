#include "stacks/baremetal/cases/warming.h"

#include "soc/cpu.h"
#include "soc/gic.h"
#include "soc/marker.h"
#include "stacks/baremetal/baremetal.h"

/* More urgent than anything that may be pending. */
#define PRIORITY_WARM 0
#define PMR_WARM_ONLY 8

static unsigned warm_id;

void warming_prepare(unsigned measured_id) {
    struct baremetal_core *core = baremetal_here();
    warm_id = measured_id == 0 ? 1 : 0;
    core->handlers[warm_id] = core->handlers[measured_id];
    gic_configure(warm_id, PRIORITY_WARM, 0, GIC_RISING_EDGE);
}

void warming_run(void) {
    struct baremetal_core *core = baremetal_here();
    volatile uint32_t *handled = &core->stack.handled;
    uint32_t before = *handled, level_mask = core->stack.level_mask;
    uint64_t id = READ_SYSREG(tpidr_el1), marker = READ_SYSREG(tpidr_el3);

    gic_disable((unsigned)id); /* what comes now stays pending */
    GICC->pmr = PMR_WARM_ONLY;
    core->stack.level_mask = 0;
    WRITE_SYSREG(tpidr_el1, warm_id);
    WRITE_SYSREG(tpidr_el3, marker | MARKER_PROTECTED);
    gic_send_sgi(warm_id, (uint8_t)(1u << cpu_number()));
    interrupts_unmask();
    while (*handled == before) { /* an SGI takes no way that could be broken */
    }
    interrupts_mask();

    WRITE_SYSREG(tpidr_el3, marker);
    WRITE_SYSREG(tpidr_el1, id);
    core->stack.level_mask = level_mask;
    core->task_ready = false;
    *handled = before;
    GICC->pmr = GIC_PMR_ALL;
    gic_enable((unsigned)id);
}
