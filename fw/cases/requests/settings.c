/* Settings of the gateware, which checks phases and timeouts itself. */
#include "cases/requests/each.h"

#include "cases/case.h"
#include "cases/gateware.h"
#include "machine/port.h"

#define DITHER_BITS_MAX 24
/* The output that the gateware itself needs belongs to no line. */
#define LINE_SPIS (((1u << MACHINE_SHARED_OUTPUTS) - 1) & ~(1u << MACHINE_FINISHED_OUTPUT))

#define FIELD(value, name) ((uint32_t)(value) << name##_bp)

/* Ends a request whose writes the gateware might have refused. Returns the length of the answer. */
static size_t configured(irq_error_t *error) {
    uint32_t refusals = IRQSCOPE__ERRORS__WRITE_WHILE_ARMED_bm |
                        IRQSCOPE__ERRORS__COMMAND_REFUSED_bm | IRQSCOPE__ERRORS__BAD_ADDRESS_bm;
    if (port_has_error()) {
        uint32_t errors = port_read(PORT_WORD(errors));
        if (errors & refusals) {
            *error = (irq_error_t){IRQ_ERROR_CODE_GATEWARE_REFUSED, errors, 0};
            return 0;
        }
    }
    return answered(0, error);
}

size_t request_clear(const void *payload, void *reply_payload, irq_error_t *error) {
    (void)payload;
    (void)reply_payload;
    if (!gateware_begin(error))
        return 0;
    gateware_clear();
    return configured(error);
}

size_t request_line(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_line_request_t *request = payload;
    (void)reply_payload;
    if (request->index >= LINES)
        return bad_value(error, IRQ_LINE_FIELD_INDEX);
    if (request->enable > 1)
        return bad_value(error, IRQ_LINE_FIELD_ENABLE);
    /* A batch ends when its lines have ended: a free-running one never does. */
    if (request->mode > IRQSCOPE_LINE_MODE_SINGLE_SHOT ||
        (request->enable && request->mode == IRQSCOPE_LINE_MODE_FREE_RUNNING))
        return bad_value(error, IRQ_LINE_FIELD_MODE);
    if (request->dither_bits > DITHER_BITS_MAX)
        return bad_value(error, IRQ_LINE_FIELD_DITHER_BITS);
    if (request->ack_cores > 0xF)
        return bad_value(error, IRQ_LINE_FIELD_ACK_CORES);
    if (request->ack_code > 7)
        return bad_value(error, IRQ_LINE_FIELD_ACK_CODE);
    if (request->shared & ~LINE_SPIS)
        return bad_value(error, IRQ_LINE_FIELD_SHARED);
    if (request->private > 0xF)
        return bad_value(error, IRQ_LINE_FIELD_PRIVATE);
    if (request->stm > 1)
        return bad_value(error, IRQ_LINE_FIELD_STM);
    if (!case_note_line(request))
        return bad_value(error, IRQ_LINE_FIELD_SHARED);
    if (!gateware_begin(error))
        return 0;
    port_write(PORT_ELEMENT_WORD(lines, request->index, config),
               FIELD(request->enable, LINE_T__CONFIG__ENABLE) |
                   FIELD(request->mode, LINE_T__CONFIG__MODE) |
                   FIELD(request->dither_bits, LINE_T__CONFIG__DITHER_BITS) |
                   FIELD(request->ack_cores, LINE_T__CONFIG__ACK_CORES) |
                   FIELD(request->ack_code, LINE_T__CONFIG__ACK_CODE));
    port_write(PORT_ELEMENT_WORD(lines, request->index, start_delay), request->start_delay);
    port_write(PORT_ELEMENT_WORD(lines, request->index, high), request->high);
    port_write(PORT_ELEMENT_WORD(lines, request->index, low), request->low);
    port_write(PORT_ELEMENT_WORD(lines, request->index, count), request->count);
    port_write(PORT_ELEMENT_WORD(lines, request->index, seed), request->seed);
    port_write(
        PORT_ELEMENT_WORD(lines, request->index, route),
        FIELD(request->shared, LINE_T__ROUTE__SPI) | FIELD(request->private, LINE_T__ROUTE__PPI) |
            FIELD(request->pmod, LINE_T__ROUTE__PMOD) | FIELD(request->stm, LINE_T__ROUTE__STM));
    return configured(error);
}

size_t request_channel(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_channel_request_t *request = payload;
    (void)reply_payload;
    if (request->index >= CHANNELS)
        return bad_value(error, IRQ_CHANNEL_FIELD_INDEX);
    if (request->enable > 1)
        return bad_value(error, IRQ_CHANNEL_FIELD_ENABLE);
    if (request->start_kind > IRQSCOPE_START_KIND_MARKER)
        return bad_value(error, IRQ_CHANNEL_FIELD_START_KIND);
    if (request->start_line >= LINES)
        return bad_value(error, IRQ_CHANNEL_FIELD_START_LINE);
    if (request->start_cores > 0xF)
        return bad_value(error, IRQ_CHANNEL_FIELD_START_CORES);
    if (request->start_code > 7)
        return bad_value(error, IRQ_CHANNEL_FIELD_START_CODE);
    if (request->stop_cores > 0xF)
        return bad_value(error, IRQ_CHANNEL_FIELD_STOP_CORES);
    if (request->stop_code > 7)
        return bad_value(error, IRQ_CHANNEL_FIELD_STOP_CODE);
    if (request->hist_shift > 15)
        return bad_value(error, IRQ_CHANNEL_FIELD_HIST_SHIFT);
    if (request->phase_line >= LINES)
        return bad_value(error, IRQ_CHANNEL_FIELD_PHASE_LINE);
    if (!gateware_begin(error))
        return 0;
    port_write(PORT_ELEMENT_WORD(channels, request->index, config),
               FIELD(request->enable, CHANNEL_T__CONFIG__ENABLE) |
                   FIELD(request->start_kind, CHANNEL_T__CONFIG__START_KIND) |
                   FIELD(request->start_line, CHANNEL_T__CONFIG__START_LINE) |
                   FIELD(request->start_cores, CHANNEL_T__CONFIG__START_CORES) |
                   FIELD(request->start_code, CHANNEL_T__CONFIG__START_CODE) |
                   FIELD(request->stop_cores, CHANNEL_T__CONFIG__STOP_CORES) |
                   FIELD(request->stop_code, CHANNEL_T__CONFIG__STOP_CODE) |
                   FIELD(request->hist_shift, CHANNEL_T__CONFIG__HIST_SHIFT) |
                   FIELD(request->phase_line, CHANNEL_T__CONFIG__PHASE_LINE));
    port_write(PORT_ELEMENT_WORD(channels, request->index, timeout), request->timeout);
    port_write(PORT_ELEMENT_WORD(channels, request->index, plausible_min), request->plausible_min);
    port_write(PORT_ELEMENT_WORD(channels, request->index, hist_origin), request->hist_origin);
    return configured(error);
}

size_t request_pin(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_pin_request_t *request = payload;
    irq_pin_reply_t *reply = reply_payload;
    if (!gateware_begin(error))
        return 0;
    uint32_t pins = port_read(PORT_WORD(version)) & IRQSCOPE__VERSION__PINS_bm;
    pins >>= IRQSCOPE__VERSION__PINS_bp;
    if (request->index >= pins)
        return bad_value(error, IRQ_PIN_FIELD_INDEX);
    if (request->rise > 1)
        return bad_value(error, IRQ_PIN_FIELD_RISE);
    if (request->fall > 1)
        return bad_value(error, IRQ_PIN_FIELD_FALL);
    if (request->core >= IRQSCOPE__GEOMETRY__CORES_reset)
        return bad_value(error, IRQ_PIN_FIELD_CORE);
    if (request->code > 7)
        return bad_value(error, IRQ_PIN_FIELD_CODE);
    case_note_pin(request->index, request->core, request->rise || request->fall);
    port_write(PORT_WORD(pins.pin0) + request->index,
               FIELD(request->filter, PIN_T__FILTER) | FIELD(request->rise, PIN_T__RISE) |
                   FIELD(request->fall, PIN_T__FALL) | FIELD(request->core, PIN_T__CORE) |
                   FIELD(request->code, PIN_T__CODE));
    *reply = (irq_pin_reply_t){
        .pins = (uint8_t)pins,
        .levels = (uint8_t)port_read(PORT_WORD(pins.levels)),
    };
    configured(error);
    return error->code == 0 ? sizeof *reply : 0;
}

size_t request_recorder(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_recorder_request_t *request = payload;
    (void)reply_payload;
    if (request->sample_channel >= CHANNELS)
        return bad_value(error, IRQ_RECORDER_FIELD_SAMPLE_CHANNEL);
    if (!gateware_begin(error))
        return 0;
    port_write(PORT_WORD(recorder.select),
               FIELD(request->rises, IRQSCOPE__RECORDER__SELECT__RISES) |
                   FIELD(request->falls, IRQSCOPE__RECORDER__SELECT__FALLS) |
                   FIELD(request->timeouts, IRQSCOPE__RECORDER__SELECT__TIMEOUTS));
    port_write(PORT_WORD(recorder.select_markers), request->select_markers);
    port_write(PORT_WORD(recorder.sample), request->sample_channel);
    port_write(PORT_WORD(recorder.threshold), request->threshold);
    port_write(PORT_WORD(recorder.limit), request->limit);
    return configured(error);
}
