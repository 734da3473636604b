/* T6: several cores handle the same line. As PPI 31 it reaches each core by an input of its own;
 * as SPI one of the cores wins. */
#include "cases/kind.h"
#include "cases/parts/handling.h"
#include "cases/parts/waiting.h"

static parking_work_t work(const irq_case_request_t *request, unsigned core) {
    return core < request->cores ? handling : NULL;
}

static const struct case_kind case_t6 = {
    .id = IRQ_CASE_ID_T6,
    .uses = USES_WAITING | USES(CORES),
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .run = waiting_run,
    .work = work,
};
CASE(case_t6);
