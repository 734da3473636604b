/* Writing constants to random places of one array (T7): a parked core does it as its work, and
 * the measured core does it as well. */
#ifndef CASES_PARTS_WRITING_H
#define CASES_PARTS_WRITING_H

#include <stdbool.h>
#include <stdint.h>

#include "cases/kind.h"

bool writing_is_valid(const irq_case_request_t *request, enum irq_case_field *field);
void writing_begin(const irq_case_request_t *request, const irq_batch_request_t *batch);
void writing(uintptr_t request);
void writing_run(const irq_case_request_t *request, struct case_result *result);
void writing_end(const irq_case_request_t *request, struct case_result *result);

#endif
