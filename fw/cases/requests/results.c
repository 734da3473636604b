/* Counters and records of the gateware, read while it is disarmed. */
#include "cases/requests/each.h"

#include "cases/case.h"
#include "cases/gateware.h"
#include "cases/placement.h"
#include "machine/port.h"

#define HISTOGRAM_BINS (1u << MACHINE_HIST_BINS_LOG2)

/* Precedes a record in its long form, which has so many words. */
#define NO_SHORT_FORM IRQSCOPE__RECORDER__TAKE__VALUE_reset
#define LONG_FORM_WORDS 4

size_t request_counters(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_counters_request_t *request = payload;
    irq_counters_reply_t *reply = reply_payload;
    if (request->channel >= CHANNELS)
        return bad_value(error, IRQ_COUNTERS_FIELD_CHANNEL);
    if (!gateware_begin(error))
        return 0;
    *reply = (irq_counters_reply_t){
        .channel = request->channel,
        .pending = (uint8_t)port_read(PORT_ELEMENT_WORD(channels, request->channel, pending)),
        .starts = port_read64(PORT_ELEMENT_WORD(channels, request->channel, starts)),
        .served = port_read64(PORT_ELEMENT_WORD(channels, request->channel, served)),
        .coalesced = port_read64(PORT_ELEMENT_WORD(channels, request->channel, coalesced)),
        .timed_out = port_read64(PORT_ELEMENT_WORD(channels, request->channel, timed_out)),
        .stops = port_read64(PORT_ELEMENT_WORD(channels, request->channel, stops)),
        .unmatched = port_read64(PORT_ELEMENT_WORD(channels, request->channel, unmatched)),
        .implausible = port_read64(PORT_ELEMENT_WORD(channels, request->channel, implausible)),
        .underflow = port_read64(PORT_ELEMENT_WORD(channels, request->channel, underflow)),
        .overflow = port_read64(PORT_ELEMENT_WORD(channels, request->channel, overflow)),
        .sum_ticks = port_read64(PORT_ELEMENT_WORD(channels, request->channel, sum_ticks)),
        .min_ticks = port_read(PORT_ELEMENT_WORD(channels, request->channel, min_ticks)),
        .max_ticks = port_read(PORT_ELEMENT_WORD(channels, request->channel, max_ticks)),
        .phases = port_read(PORT_ELEMENT_WORD(channels, request->channel, phases)),
        .stops_at_phase =
            port_read64(PORT_ELEMENT_WORD(channels, request->channel, stops_at_phase)),
    };
    return answered(sizeof *reply, error);
}

size_t request_line_status(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_line_status_request_t *request = payload;
    irq_line_status_reply_t *reply = reply_payload;
    if (request->index >= LINES)
        return bad_value(error, IRQ_LINE_STATUS_FIELD_INDEX);
    if (!gateware_begin(error))
        return 0;
    *reply = (irq_line_status_reply_t){
        .index = request->index,
        .fired = port_read(PORT_ELEMENT_WORD(lines, request->index, fired)),
        .expired = port_read(PORT_ELEMENT_WORD(lines, request->index, expired)),
    };
    return answered(sizeof *reply, error);
}

size_t request_histogram(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_histogram_request_t *request = payload;
    irq_histogram_reply_t *reply = reply_payload;
    irq_histogram_tail_t *tail = (irq_histogram_tail_t *)(reply + 1);
    unsigned room = (IRQ_MAX_PAYLOAD - sizeof *reply) / sizeof *tail;
    if (request->channel >= CHANNELS)
        return bad_value(error, IRQ_HISTOGRAM_FIELD_CHANNEL);
    if (request->first_bin >= HISTOGRAM_BINS)
        return bad_value(error, IRQ_HISTOGRAM_FIELD_FIRST_BIN);
    if (request->end_bin <= request->first_bin || request->end_bin > HISTOGRAM_BINS)
        return bad_value(error, IRQ_HISTOGRAM_FIELD_END_BIN);
    if (!gateware_begin(error))
        return 0;
    port_write(PORT_WORD(hist_select), request->channel);
    unsigned bin = request->first_bin, filled = 0;
    for (; bin < request->end_bin && filled < room; bin++) {
        uint32_t count = port_read(PORT_WORD(hist_window) + bin);
        if (count != 0)
            tail[filled++] = (irq_histogram_tail_t){(uint16_t)bin, count};
    }
    reply->next_bin = (uint16_t)bin;
    return answered(sizeof *reply + filled * sizeof *tail, error);
}

size_t request_records(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_records_request_t *request = payload;
    irq_records_reply_t *reply = reply_payload;
    irq_records_tail_t *tail = (irq_records_tail_t *)(reply + 1);
    unsigned room = (IRQ_MAX_PAYLOAD - sizeof *reply) / sizeof *tail;
    if (!gateware_begin(error))
        return 0;
    uint32_t number = port_read(PORT_WORD(recorder.head_number));
    uint32_t waiting = port_read(PORT_WORD(recorder.waiting));
    /* Records before the wanted one were delivered, or the host would not ask for a later one. */
    for (; number < request->first_number && waiting > 0; number++, waiting--)
        port_write(PORT_WORD(recorder.remove), number);
    reply->first_number = number;
    unsigned filled = 0;
    for (unsigned taken = 0; taken < request->limit && waiting > 0; taken++, waiting--, number++) {
        if (filled + 1 + LONG_FORM_WORDS > room)
            break;
        if (!request->whole) {
            uint32_t word =
                taken == 0 ? NO_SHORT_FORM : port_exchange(PORT_WORD(recorder.take), number);
            tail[filled++].word = word;
            if (word != NO_SHORT_FORM)
                continue;
        }
        tail[filled++].word = port_read(PORT_WORD(recorder.head_stamp));
        tail[filled++].word = port_read(PORT_WORD(recorder.head_stamp) + 1);
        tail[filled++].word = port_read(PORT_WORD(recorder.head_events));
        tail[filled++].word = port_read(PORT_WORD(recorder.head_latency));
        port_write(PORT_WORD(recorder.remove), number);
    }
    reply->waiting = waiting;
    return answered(sizeof *reply + filled * sizeof *tail, error);
}

size_t request_places(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_places_request_t *request = payload;
    if (!case_is_set())
        return no_case(error);
    if (!gateware_begin(error))
        return 0;
    return answered(placement_read(request->first, reply_payload), error);
}
