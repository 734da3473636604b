/* Background interrupts of core 0: shared ones first, then those of software, then the core's own,
 * but none that the link or the end of a batch needs. The timer tick's interrupt may be one of
 * them. */
#ifndef CASES_PARTS_BACKGROUND_H
#define CASES_PARTS_BACKGROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "cases/kind.h"
#include "description.h"
#include "machine/irq.h"

#define BACKGROUND_MAX MACHINE_BACKGROUND_MOST

bool background_is_valid(const irq_case_request_t *request, enum irq_case_field *field);

/* Chooses request->further of them and sets them up with IRQ_PRIORITY_LOW, or each with a
 * priority of its own. */
void background_prepare(const irq_case_request_t *request);
void background_prepare_with(const irq_case_request_t *request, const uint8_t *priorities);

/* Forgets the chosen ones. */
void background_forget(void);

void background_begin(const irq_case_request_t *request, const irq_batch_request_t *batch);
void background_end(const irq_case_request_t *request, struct case_result *result);

/* The chosen ones, in that order, as read back when they were enabled; *count is their number. */
const irq_background_tail_t *background_chosen(unsigned *count);

#endif
