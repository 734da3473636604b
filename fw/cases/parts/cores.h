/* The other cores of a case: the same caches and pages as core 0, work during a batch, and what
 * each of them reads back about itself. */
#ifndef CASES_PARTS_CORES_H
#define CASES_PARTS_CORES_H

#include "cases/kind.h"

/* Starts the cores that the case needs and gives all that run, core 0 included, the caches and
 * pages asked for. */
void cores_prepare(const irq_case_request_t *request, const struct case_kind *kind);

/* Lets every other core that runs read itself back, set up as in a batch. */
void cores_read_back(const irq_case_request_t *request, const struct case_kind *kind);

/* Writes what a core, this one included, read back; returns the length of the reply. */
size_t cores_state(unsigned core, irq_core_reply_t *reply);

/* Before a batch gives work to the cores that have some; after it parks all. */
void cores_begin(const irq_case_request_t *request, const struct case_kind *kind);
void cores_end(void);

/* Mask of the cores that handle the measured interrupt; the core that raises further ones, 0 if
 * none. */
unsigned cores_handling(const irq_case_request_t *request, const struct case_kind *kind);
unsigned cores_raising(const irq_case_request_t *request, const struct case_kind *kind);

#endif
