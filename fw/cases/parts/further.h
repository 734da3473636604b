/* Further interrupts of core 0: shared ones first, then those of software, then the core's own,
 * but none that the link or the end of a batch needs. The timer tick's interrupt may be one of
 * them. */
#ifndef CASES_PARTS_FURTHER_H
#define CASES_PARTS_FURTHER_H

#include <stdbool.h>
#include <stdint.h>

#include "cases/kind.h"
#include "description.h"
#include "machine/irq.h"

#define FURTHER_MAX MACHINE_FURTHER_MOST

bool further_is_valid(const irq_case_request_t *request, enum irq_case_field *field);

/* Chooses request->further of them and sets them up with IRQ_PRIORITY_LOW, or each with a
 * priority of its own. */
void further_prepare(const irq_case_request_t *request);
void further_prepare_with(const irq_case_request_t *request, const uint8_t *priorities);

/* Forgets the chosen ones. */
void further_forget(void);

void further_begin(const irq_case_request_t *request, const irq_batch_request_t *batch);
void further_end(const irq_case_request_t *request, struct case_result *result);

/* The chosen ones, in that order, as read back when they were enabled; *count is their number. */
const irq_further_tail_t *further_chosen(unsigned *count);

#endif
