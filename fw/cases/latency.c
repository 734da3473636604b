/* T1 and T2: the core idles, the gateware raises the line, the handler's marker is stamped. */
#include "cases/case.h"
#include "stacks/baremetal/baremetal.h"

static void run(const irq_case_request_t *request, struct case_result *result) {
    result->idles = baremetal_idle(request->idle == IRQ_IDLE_SPIN);
}

const struct case_kind case_latency = {
    .id = IRQ_CASE_ID_T1,
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .run = run,
};
