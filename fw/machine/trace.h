/* The second stamp: while a batch runs, the STM stamps line and handler into the ETF; after the
 * batch the ETF is read out, for the host to fetch. */
#ifndef CASES_TRACE_H
#define CASES_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "generated/messages.h"

/* Whether a marker set stores to the STM. */
static inline bool trace_is_of(unsigned markers) {
    return markers == IRQ_MARKERS_PAPER_STM || markers == IRQ_MARKERS_STM_PAPER;
}

/* Tries clocks, timestamp generator, ETF and STM, and tells what it finds. */
size_t trace_set_up(irq_stm_reply_t *reply);

/* Whether the last trace_set_up found everything ready. */
bool trace_is_ready(void);

/* Before a batch: empties the ETF and chooses the events of a mask of lines. Then one store begins
 * the trace. */
void trace_prepare(unsigned lines);
struct trace_opening {
    volatile uint32_t *place;
    uint32_t value;
};
struct trace_opening trace_opening(void);

/* After a batch: ends the trace. */
void trace_close(void);

/* Writes bytes from an offset on, as many as fit. Returns the reply's length. */
size_t trace_read(unsigned offset, irq_trace_reply_t *reply);

#endif
