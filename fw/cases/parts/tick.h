/* The software tick: a timer of core 0 that interrupts it, as that of a kernel. */
#ifndef CASES_PARTS_TICK_H
#define CASES_PARTS_TICK_H

#include "generated/messages.h"

/* Tells the stack about it. Behind stack_prepare. */
void tick_prepare(const irq_case_request_t *request);

/* From now on, whole periods from the origin (cases/parts/origin.h). Returns the PL tick of one; 0
 * if there is no software tick. */
uint64_t tick_start(const irq_case_request_t *request);
void tick_stop(void);

#endif
