/* Further interrupts of core 0: taken as SPIs from 32 on, then SGIs 15 to 0, then PPIs 25 to 31,
 * and none that the link or the end
 * of a batch needs: 180 at most. A tick's own, PPI 29, is one of them. */
#ifndef CASES_PARTS_FURTHER_H
#define CASES_PARTS_FURTHER_H

#include <stdbool.h>
#include <stdint.h>

#include "cases/case.h"

#define FURTHER_MAX 180

/* The lowest priority but that of the end of a batch. */
#define PRIORITY_LOW 0xE8

bool further_is_valid(const irq_case_request_t *request, enum case_field *field);

/* Chooses request->further of them and sets them up with PRIORITY_LOW; or each with its own. */
void further_prepare(const irq_case_request_t *request);
void further_prepare_with(const irq_case_request_t *request, const uint8_t *priorities);

/* None are chosen any more. */
void further_forget(void);

void further_begin(const irq_case_request_t *request, const irq_batch_request_t *batch);
void further_end(const irq_case_request_t *request, struct case_result *result);

/* The chosen ones, in that order; *count of them. As read back when they were enabled. */
const irq_further_tail_t *further_chosen(unsigned *count);

#endif
