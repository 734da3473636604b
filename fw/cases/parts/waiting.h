/* How the measured core waits for its interrupt. */
#ifndef CASES_PARTS_WAITING_H
#define CASES_PARTS_WAITING_H

#include "cases/kind.h"

/* Waits as the request says until the batch ends. */
void waiting_run(const irq_case_request_t *request, struct case_result *result);

/* Combines the case's own hooks and those of the request into the hooks of core 0's wait. */
void waiting_prepare(const irq_case_request_t *request, const struct case_kind *kind);

/* Divisor of the cores' clock while core 0 waits, as read back when it was tried. */
uint16_t waiting_divisor(void);

#endif
