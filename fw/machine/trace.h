/* The second stamp: while a batch runs, the STM stamps line and handler into the ETF; behind the
 * batch the ETF is read out, for the host to fetch. */
#ifndef CASES_TRACE_H
#define CASES_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "generated/messages.h"

/* Whether a set of markers has the STM's. */
static inline bool trace_is_of(unsigned markers) {
    return markers == IRQ_MARKERS_PAPER_STM || markers == IRQ_MARKERS_STM_PAPER;
}

/* Tries clocks, timestamp generator, ETF and STM, and tells what it finds. */
size_t trace_set_up(irq_stm_reply_t *reply);

/* The last trace_set_up found everything ready. */
bool trace_is_ready(void);

/* Before a batch: an empty ETF, the events of a mask of lines. Then trace_open, one store. */
void trace_prepare(unsigned lines);
void trace_open(void);

/* Behind it. */
void trace_close(void);

/* Bytes from an offset on, as many as fit. Returns the reply's length. */
size_t trace_read(unsigned offset, irq_trace_reply_t *reply);

#endif
