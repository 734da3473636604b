#include "cases/parts/handling.h"

#include "cases/parts/warm_up.h"
#include "machine/caches.h"
#include "machine/irq.h"
#include "machine/marker.h"
#include "machine/trace.h"
#include "stacks/baremetal/baremetal.h"

static bool is_private(const irq_case_request_t *request) {
    return request->interrupt < IRQ_FIRST_SHARED;
}

const struct stack_core *handling_core(unsigned core) { return &baremetal_of(core)->stack; }

void handling_zero_counts(void) {
    for (unsigned core = 1; core < CORES; core++)
        baremetal_zero_counts(baremetal_of(core));
}

void handling_begin(uintptr_t argument) {
    const irq_case_request_t *request = (const irq_case_request_t *)argument;
    /* Core 0's stores alone are stamped by the STM, which does not tell cores apart. */
    unsigned markers = trace_is_of(request->markers) ? IRQ_MARKERS_PAPER : request->markers;
    baremetal_prepare(request->interrupt, PARKING_STOP, markers, request->dispatcher,
                      IRQ_PLACEMENT_DDR);
    if (is_private(request)) { /* an SPI is set up for all cores, and core 0 has done it */
        irq_configure(request->interrupt, request->priority, 0, IRQ_BY_LEVEL);
        irq_enable(request->interrupt);
    }
}

void handling_end(uintptr_t argument) {
    const irq_case_request_t *request = (const irq_case_request_t *)argument;
    if (is_private(request))
        irq_disable(request->interrupt);
}

void handling(uintptr_t argument) {
    const irq_case_request_t *request = (const irq_case_request_t *)argument;
    /* The gateware must know this core's toggle before a marker counts. */
    marker_set_first(IRQSCOPE_MARKER_DUMMY);
    marker_send_first();
    if (request->caches)
        caches_flush();
    tlb_invalidate();
    handling_begin(argument);
    baremetal_begin();
    warm_up_run_handling(request);
    baremetal_begin();
    parking_ready();
    (void)baremetal_wait(&(struct stack_waiting){.spin = request->idle == IRQ_IDLE_SPIN});
    handling_end(argument);
}
