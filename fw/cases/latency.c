/* T1 and T2: the core idles, the gateware raises the line, the handler's marker is stamped. */
#include "cases/kind.h"
#include "cases/parts/waiting.h"

static const struct case_kind case_latency = {
    .id = IRQ_CASE_ID_T1,
    .uses = USES_WAITING | USES_SGI,
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .run = waiting_run,
};
CASE(case_latency);
