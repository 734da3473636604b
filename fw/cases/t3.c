/* T3: as T2, but after its marker the handler empties the caches: the next interrupt finds them
 * cold. */
#include "cases/kind.h"
#include "cases/parts/waiting.h"
#include "machine/caches.h"

static const struct case_kind case_t3 = {
    .id = IRQ_CASE_ID_T3,
    .uses = USES_WAITING | USES_SGI,
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .run = waiting_run,
    .after_marker = caches_flush,
};
CASE(case_t3);
