/* The timer tick of software: a timer interrupts core 0, as that of a kernel does. */
#ifndef CASES_PARTS_TIMER_TICK_H
#define CASES_PARTS_TIMER_TICK_H

#include "generated/messages.h"

/* Tells the stack about the timer tick. Called after stack_prepare. */
void timer_tick_prepare(const irq_case_request_t *request);

/* Starts the timer tick, at whole periods from the origin (cases/parts/origin.h). Returns the PL
 * tick of one of its interrupts, or 0 without a timer tick. */
uint64_t timer_tick_start(const irq_case_request_t *request);
void timer_tick_stop(void);

#endif
