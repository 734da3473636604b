/* The requests of the link, one function each. Fields are checked there or by the case; refusals by
 * the gateware are reported from its errors register. */
#ifndef CASES_REQUESTS_EACH_H
#define CASES_REQUESTS_EACH_H

#include "cases/gateware.h"
#include "cases/geometry.h"
#include "description.h"
#include "generated/messages.h"
#include "link/link.h"
#include "machine/port.h"

link_carry_out request_hello, request_baud, request_stack, request_clear, request_line,
    request_channel, request_pin, request_recorder, request_case, request_core, request_background,
    request_code_under_test, request_batch, request_counters, request_line_status,
    request_histogram, request_records, request_places, request_pl_state, request_build,
    request_clocks, request_watch, request_send, request_echo, request_stm, request_trace;
#if MACHINE_HAS_LOCKDOWN
link_carry_out request_lock;
#endif

/* Outcomes: each returns the length of the reply. */

static inline size_t bad_value(irq_error_t *error, uint32_t field) {
    *error = (irq_error_t){IRQ_ERROR_CODE_BAD_VALUE, field, 0};
    return 0;
}

static inline size_t no_case(irq_error_t *error) {
    *error = (irq_error_t){IRQ_ERROR_CODE_NO_CASE, 0, 0};
    return 0;
}

/* The reply, unless an access to the gateware, or a wait for it, failed on the way. */
static inline size_t answered(size_t length, irq_error_t *error) {
    return gateware_failed(error) ? 0 : length;
}

#endif
