/* Requests of `irqscope doctor`, and of the trace, which stamps a second time. */
#include "cases/checks.h"

#include "cases/case.h"
#include "cases/gateware.h"
#include "cases/requests/each.h"
#include "machine/pl_state.h"
#include "machine/places.h"
#include "machine/trace.h"

size_t request_pl_state(const void *payload, void *reply_payload, irq_error_t *error) {
    (void)payload;
    (void)error;
    return pl_state_read(reply_payload);
}

size_t request_clocks(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_clocks_request_t *request = payload;
    if (!gateware_begin(error))
        return 0;
    checks_clocks(request->counts, reply_payload);
    return answered(sizeof(irq_clocks_reply_t), error);
}

size_t request_watch(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_watch_request_t *request = payload;
    if (request->loopback > 1)
        return bad_value(error, IRQ_WATCH_FIELD_LOOPBACK);
    if (request->cores >> CORES != 0)
        return bad_value(error, IRQ_WATCH_FIELD_CORES);
    if (!case_is_set())
        return no_case(error);
    if (!gateware_begin(error))
        return 0;
    checks_watch(request, reply_payload);
    return answered(sizeof(irq_watch_reply_t), error);
}

size_t request_send(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_send_request_t *request = payload;
    irq_send_reply_t *reply = reply_payload;
    if (request->core >= CORES)
        return bad_value(error, IRQ_SEND_FIELD_CORE);
    if (!case_is_set())
        return no_case(error);
    if (!gateware_begin(error))
        return 0;
    reply->sent = checks_send(request->core);
    return answered(sizeof *reply, error);
}

size_t request_stm(const void *payload, void *reply_payload, irq_error_t *error) {
    (void)payload;
    (void)error;
    return trace_set_up(reply_payload);
}

size_t request_trace(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_trace_request_t *request = payload;
    (void)error;
    return trace_read(request->offset, reply_payload);
}
