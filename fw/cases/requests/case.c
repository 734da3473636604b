/* Which case the cores carry out, and a batch of it. */
#include "cases/case.h"

#include "cases/gateware.h"
#include "cases/parts/background.h"
#include "cases/parts/cores.h"
#include "cases/placement.h"
#include "cases/requests/each.h"
#include "link/crc32.h"
#include "machine/places.h"

size_t request_case(const void *payload, void *reply_payload, irq_error_t *error) {
    uint32_t field;
    if (!case_prepare(payload, &field))
        return bad_value(error, field);
    return case_read_back(reply_payload);
}

#if MACHINE_HAS_LOCKDOWN
size_t request_lock(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_lock_request_t *request = payload;
    irq_lock_reply_t *reply = reply_payload;
    size_t length;
    if (request->which > (IRQ_LOCKDOWN_TLB | IRQ_LOCKDOWN_L2))
        return bad_value(error, IRQ_LOCK_FIELD_WHICH);
    if (!case_lock(request->which, (irq_register_t *)(reply + 1), &length))
        return no_case(error);
    reply->which = request->which;
    return sizeof *reply + length;
}
#endif

size_t request_core(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_core_request_t *request = payload;
    if (request->core >= CORES)
        return bad_value(error, IRQ_CORE_FIELD_CORE);
    if (!case_is_set())
        return no_case(error);
    return cores_state(request->core, reply_payload);
}

size_t request_background(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_background_request_t *request = payload;
    irq_background_reply_t *reply = reply_payload;
    irq_background_tail_t *tail = (irq_background_tail_t *)(reply + 1);
    unsigned room = (IRQ_MAX_PAYLOAD - sizeof *reply) / sizeof *tail;
    unsigned total;
    const irq_background_tail_t *chosen = background_chosen(&total);
    if (!case_is_set())
        return no_case(error);
    reply->total = (uint16_t)total;
    unsigned filled = 0;
    for (unsigned i = request->first; i < total && filled < room; i++)
        tail[filled++] = chosen[i];
    return sizeof *reply + filled * sizeof *tail;
}

size_t request_code_under_test(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_code_under_test_request_t *request = payload;
    (void)reply_payload;
    if (request->line >= LINES)
        return bad_value(error, IRQ_CODE_UNDER_TEST_FIELD_LINE);
    if (request->cores > 0xF)
        return bad_value(error, IRQ_CODE_UNDER_TEST_FIELD_CORES);
    if (request->code > 7)
        return bad_value(error, IRQ_CODE_UNDER_TEST_FIELD_CODE);
    if (!RUNS_NAMED_CODE)
        return bad_value(error, IRQ_CODE_UNDER_TEST_FIELD_ADDRESS);
    if (crc32((const uint8_t *)(uintptr_t)request->address, request->size) != request->crc)
        return bad_value(error, IRQ_CODE_UNDER_TEST_FIELD_CRC);
    return placement_set(request) ? 0 : bad_value(error, IRQ_CODE_UNDER_TEST_FIELD_COUNT);
}

size_t request_batch(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_batch_request_t *request = payload;
    irq_batch_reply_t *reply = reply_payload;
    if (!case_is_set())
        return no_case(error);
    if (!gateware_begin(error))
        return 0;
    reply->number = request->number;
    *error = case_run_batch(request, reply);
    return error->code != 0 ? 0 : answered(sizeof *reply, error);
}
