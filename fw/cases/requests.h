#ifndef CASES_REQUESTS_H
#define CASES_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link/link.h"

/* How each kind of request is carried out, for struct link. */
extern const struct link_request requests[];
extern const size_t request_count;

/* The core's clock in Hz, and whether its timer wakes it; for HELLO, found once at start-up.
 * 0: the system counter is still, and a wait for a time would not end. Without the timer a
 * sleep until a time would not end. */
void requests_set_clocks(uint32_t hz, bool timer_wakes);

/* The rate that a BAUD request has asked for since the last call, or 0. */
uint32_t requests_take_baud(void);

#endif
