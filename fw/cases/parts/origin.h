/* Software's periods go on as if a run were one batch: they are counted from the tick at which the
 * run would then have begun, its origin. */
#ifndef CASES_PARTS_ORIGIN_H
#define CASES_PARTS_ORIGIN_H

#include <stdint.h>

/* Reads the gateware's clock together with the system counter, once for each case, as both come
 * from one PLL. Called by core 0; requires the gateware. */
void origin_prepare(void);
void origin_forget(void);

/* The batch starts at `start_tick`, `since_ticks` after the origin. By core 0. */
void origin_set(uint64_t start_tick, uint64_t since_ticks);

/* The first moment from now on that is a whole number of periods from the origin; counts of the
 * system counter. `period` is not 0. */
uint64_t origin_next(uint32_t period);

/* The tick of such a moment, rounded down: it is known to about 1 us. */
uint64_t origin_tick_at(uint64_t count);

/* Counts of the system counter that last as long as `ticks`, and ticks that last as long as
 * counts. */
int64_t origin_counts(int64_t ticks);
int64_t origin_ticks(int64_t counts);

#endif
