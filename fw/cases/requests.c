/* The requests of the link, one function each. Fields are checked here or by the case; what the
 * gateware itself checks (phases, timeouts) is left to it and reported from its errors register. */
#include "cases/requests.h"

#include "cases/case.h"
#include "cases/checks.h"
#include "cases/gateware.h"
#include "cases/parts/cores.h"
#include "cases/parts/further.h"
#include "cases/placement.h"
#include "description.h"
#include "firmware_hash.h"
#include "lib/memory.h"
#include "link/crc32.h"
#include "machine/cpu.h"
#include "machine/pl_state.h"
#include "machine/port.h"
#include "machine/state.h"
#include "machine/trace.h"
#include "machine/uart.h"
#include "stacks/stack.h"

#define FIRMWARE_VERSION (0u << 16 | 1u)

#define LINES IRQSCOPE__GEOMETRY__LINES_reset
#define CHANNELS IRQSCOPE__GEOMETRY__CHANNELS_reset
#define HISTOGRAM_BINS (1u << IRQSCOPE__SIZES__HIST_BINS_LOG2_reset)
#define DITHER_BITS_MAX 24
/* The output that the gateware itself needs belongs to no line. */
#define LINE_SPIS (((1u << MACHINE_SHARED_OUTPUTS) - 1) & ~(1u << MACHINE_FINISHED_OUTPUT))

#define FIELD(value, name) ((uint32_t)(value) << name##_bp)

/* Read from memory. A hash within an instruction would decide how many instructions there are, and
 * so move all code behind it: samples would follow a comment. */
static const volatile uint32_t firmware_hash = FIRMWARE_HASH;
static const volatile uint32_t messages_hash = IRQ_MESSAGES_HASH;
static const volatile uint32_t registers_hash = IRQSCOPE_REGISTERS_HASH;

static uint32_t cpu_hz;
static bool timer_wakes;
static uint32_t asked_baud;

void requests_set_clocks(uint32_t hz, bool wakes) {
    cpu_hz = hz;
    timer_wakes = wakes;
}

uint32_t requests_take_baud(void) {
    uint32_t baud = asked_baud;
    asked_baud = 0;
    return baud;
}

/* ---- outcomes: each returns the length of the reply ------------------------------------------ */

static size_t bad_value(irq_error_t *error, uint32_t field) {
    *error = (irq_error_t){IRQ_ERROR_CODE_BAD_VALUE, field, 0};
    return 0;
}

static size_t no_case(irq_error_t *error) {
    *error = (irq_error_t){IRQ_ERROR_CODE_NO_CASE, 0, 0};
    return 0;
}

/* Returns the reply, unless an access to the gateware, or a wait for it, failed on the way. */
static size_t answered(size_t length, irq_error_t *error) {
    return gateware_failed(error) ? 0 : length;
}

/* As `answered`, after writes that the gateware might have refused. */
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

/* Begins a request that needs the gateware; false, with *error set, if it is not there. */
static bool with_gateware(irq_error_t *error) {
    gateware_recover();
    if (gateware_matches(error))
        return true;
    answered(0, error);
    return false;
}

/* ---- link ------------------------------------------------------------------------------------ */

static size_t hello(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_hello_request_t *request = payload;
    irq_hello_reply_t *reply = reply_payload;
    if (request->protocol != IRQ_PROTOCOL_VERSION)
        return bad_value(error, IRQ_HELLO_FIELD_PROTOCOL);
    if (cpu_hz == 0) {
        *error = (irq_error_t){IRQ_ERROR_CODE_NO_COUNTER, 0, 0};
        return 0;
    }
    if (!timer_wakes) {
        *error = (irq_error_t){IRQ_ERROR_CODE_NO_TIMER, 0, 0};
        return 0;
    }
    if (!with_gateware(error))
        return 0;
    *reply = (irq_hello_reply_t){
        .protocol = IRQ_PROTOCOL_VERSION,
        .magic = port_read(PORT_WORD(magic)),
        .version = port_read(PORT_WORD(version)),
        .build_hash = port_read(PORT_WORD(build_hash)),
        .tick_hz = port_read(PORT_WORD(tick_hz)),
        .geometry = port_read(PORT_WORD(geometry)),
        .sizes = port_read(PORT_WORD(sizes)),
        .source = port_read(PORT_WORD(source)),
        .source_hash = port_read(PORT_WORD(source_hash)),
        .firmware_hash = firmware_hash,
        .firmware_version = FIRMWARE_VERSION,
        STATE_OF_PROGRAM,
        .cpu_hz = cpu_hz,
        .uart_ref_hz = uart_reference_hz(),
        .baud = uart_baud(),
        .max_baud = UART_MAX_BAUD,
        .privilege = (uint8_t)cpu_exception_level(),
        .cores = CORES,
        .max_payload = IRQ_MAX_PAYLOAD,
        .built_for = MACHINE_NUMBER,
    };
    return answered(sizeof *reply, error);
}

static size_t baud(const void *payload, void *reply_payload, irq_error_t *error) {
    static const uint32_t rates[] = {IRQ_BAUD_RATES};
    const irq_baud_request_t *request = payload;
    irq_baud_reply_t *reply = reply_payload;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        if (rates[i] == request->baud && uart_can_make(request->baud)) {
            asked_baud = request->baud;
            reply->baud = request->baud;
            return sizeof *reply;
        }
    return bad_value(error, IRQ_BAUD_FIELD_BAUD);
}

/* Appends a text; what does not fit a payload is left out. */
static size_t append(char *to, size_t at, const char *text) {
    while (*text != '\0' && at < IRQ_MAX_PAYLOAD - sizeof(irq_stack_reply_t))
        to[at++] = *text++;
    return at;
}

static size_t stack(const void *payload, void *reply_payload, irq_error_t *error) {
    irq_stack_reply_t *reply = reply_payload;
    char *text = (char *)(reply + 1);
    (void)payload;
    (void)error;
    size_t length = append(text, 0, stack_description.name);
    length = append(text, append(text, length, "\n"), stack_description.version);
    length = append(text, append(text, length, "\n"), stack_description.configuration);
    reply->length = (uint16_t)length;
    return sizeof *reply + length;
}

/* ---- configuration --------------------------------------------------------------------------- */

static size_t clear(const void *payload, void *reply_payload, irq_error_t *error) {
    (void)payload;
    (void)reply_payload;
    if (!with_gateware(error))
        return 0;
    gateware_clear();
    return configured(error);
}

static size_t line(const void *payload, void *reply_payload, irq_error_t *error) {
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
    if (!with_gateware(error))
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

static size_t channel(const void *payload, void *reply_payload, irq_error_t *error) {
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
    if (!with_gateware(error))
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

static size_t pin(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_pin_request_t *request = payload;
    irq_pin_reply_t *reply = reply_payload;
    if (!with_gateware(error))
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

static size_t recorder(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_recorder_request_t *request = payload;
    (void)reply_payload;
    if (request->sample_channel >= CHANNELS)
        return bad_value(error, IRQ_RECORDER_FIELD_SAMPLE_CHANNEL);
    if (!with_gateware(error))
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

/* ---- cases ----------------------------------------------------------------------------------- */

static size_t set_case(const void *payload, void *reply_payload, irq_error_t *error) {
    uint32_t field;
    if (!case_prepare(payload, &field))
        return bad_value(error, field);
    return case_read_back(reply_payload);
}

#if MACHINE_HAS_LOCKDOWN
static size_t lock(const void *payload, void *reply_payload, irq_error_t *error) {
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

static size_t core(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_core_request_t *request = payload;
    if (request->core >= CORES)
        return bad_value(error, IRQ_CORE_FIELD_CORE);
    if (!case_is_set())
        return no_case(error);
    return cores_state(request->core, reply_payload);
}

static size_t further(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_further_request_t *request = payload;
    irq_further_reply_t *reply = reply_payload;
    irq_further_tail_t *tail = (irq_further_tail_t *)(reply + 1);
    unsigned room = (IRQ_MAX_PAYLOAD - sizeof *reply) / sizeof *tail;
    unsigned total;
    const irq_further_tail_t *chosen = further_chosen(&total);
    if (!case_is_set())
        return no_case(error);
    reply->total = (uint16_t)total;
    unsigned filled = 0;
    for (unsigned i = request->first; i < total && filled < room; i++)
        tail[filled++] = chosen[i];
    return sizeof *reply + filled * sizeof *tail;
}

static size_t stretch(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_stretch_request_t *request = payload;
    (void)reply_payload;
    if (request->line >= LINES)
        return bad_value(error, IRQ_STRETCH_FIELD_LINE);
    if (request->cores > 0xF)
        return bad_value(error, IRQ_STRETCH_FIELD_CORES);
    if (request->code > 7)
        return bad_value(error, IRQ_STRETCH_FIELD_CODE);
    if (crc32((const uint8_t *)(uintptr_t)request->address, request->size) != request->crc)
        return bad_value(error, IRQ_STRETCH_FIELD_CRC);
    return placement_set(request) ? 0 : bad_value(error, IRQ_STRETCH_FIELD_COUNT);
}

static size_t batch(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_batch_request_t *request = payload;
    irq_batch_reply_t *reply = reply_payload;
    if (!case_is_set())
        return no_case(error);
    if (!with_gateware(error))
        return 0;
    reply->number = request->number;
    *error = case_run_batch(request, reply);
    return error->code != 0 ? 0 : answered(sizeof *reply, error);
}

/* ---- results: read while the gateware is disarmed -------------------------------------------- */

static size_t books(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_books_request_t *request = payload;
    irq_books_reply_t *reply = reply_payload;
    if (request->channel >= CHANNELS)
        return bad_value(error, IRQ_BOOKS_FIELD_CHANNEL);
    if (!with_gateware(error))
        return 0;
    *reply = (irq_books_reply_t){
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

static size_t line_status(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_line_status_request_t *request = payload;
    irq_line_status_reply_t *reply = reply_payload;
    if (request->index >= LINES)
        return bad_value(error, IRQ_LINE_STATUS_FIELD_INDEX);
    if (!with_gateware(error))
        return 0;
    *reply = (irq_line_status_reply_t){
        .index = request->index,
        .fired = port_read(PORT_ELEMENT_WORD(lines, request->index, fired)),
        .expired = port_read(PORT_ELEMENT_WORD(lines, request->index, expired)),
    };
    return answered(sizeof *reply, error);
}

static size_t histogram(const void *payload, void *reply_payload, irq_error_t *error) {
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
    if (!with_gateware(error))
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

static size_t records(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_records_request_t *request = payload;
    irq_records_reply_t *reply = reply_payload;
    irq_records_tail_t *tail = (irq_records_tail_t *)(reply + 1);
    unsigned room = (IRQ_MAX_PAYLOAD - sizeof *reply) / sizeof *tail;
    if (!with_gateware(error))
        return 0;
    uint32_t number = port_read(PORT_WORD(recorder.head_number));
    uint32_t waiting = port_read(PORT_WORD(recorder.waiting));
    /* Records before the wanted one were delivered, or the host would not ask for a later one. */
    for (; number < request->first_number && waiting > 0; number++, waiting--)
        port_write(PORT_WORD(recorder.remove), number);
    reply->first_number = number;
    unsigned filled = 0;
    for (; filled < room && filled < request->limit && waiting > 0; filled++, waiting--) {
        tail[filled] = (irq_records_tail_t){
            .stamp = port_read64(PORT_WORD(recorder.head_stamp)),
            .events = port_read(PORT_WORD(recorder.head_events)),
            .latency = port_read(PORT_WORD(recorder.head_latency)),
        };
        port_write(PORT_WORD(recorder.remove), number++);
    }
    reply->waiting = waiting;
    return answered(sizeof *reply + filled * sizeof *tail, error);
}

static size_t places(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_places_request_t *request = payload;
    if (!case_is_set())
        return no_case(error);
    if (!with_gateware(error))
        return 0;
    return answered(placement_read(request->first, reply_payload), error);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static size_t pl_state(const void *payload, void *reply_payload, irq_error_t *error) {
    (void)payload;
    (void)error;
    return pl_state_read(reply_payload);
}

static size_t build(const void *payload, void *reply_payload, irq_error_t *error) {
    (void)payload;
    (void)error;
    *(irq_build_reply_t *)reply_payload = (irq_build_reply_t){messages_hash, registers_hash};
    return sizeof(irq_build_reply_t);
}

static size_t clocks(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_clocks_request_t *request = payload;
    if (!with_gateware(error))
        return 0;
    checks_clocks(request->counts, reply_payload);
    return answered(sizeof(irq_clocks_reply_t), error);
}

static size_t watch(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_watch_request_t *request = payload;
    if (request->loopback > 1)
        return bad_value(error, IRQ_WATCH_FIELD_LOOPBACK);
    if (request->cores >> CORES != 0)
        return bad_value(error, IRQ_WATCH_FIELD_CORES);
    if (!case_is_set())
        return no_case(error);
    if (!with_gateware(error))
        return 0;
    checks_watch(request, reply_payload);
    return answered(sizeof(irq_watch_reply_t), error);
}

static size_t send(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_send_request_t *request = payload;
    irq_send_reply_t *reply = reply_payload;
    if (request->core >= CORES)
        return bad_value(error, IRQ_SEND_FIELD_CORE);
    if (!case_is_set())
        return no_case(error);
    if (!with_gateware(error))
        return 0;
    reply->sent = checks_send(request->core);
    return answered(sizeof *reply, error);
}

static size_t echo(const void *payload, void *reply_payload, irq_error_t *error) {
    irq_echo_reply_t *reply = reply_payload;
    struct uart_errors errors = uart_errors();
    (void)error;
    memcpy(reply, payload, sizeof(irq_echo_request_t));
    reply->overruns = errors.overruns;
    reply->framing_errors = errors.framing;
    reply->parity_errors = errors.parity;
    return sizeof *reply;
}

/* ---- the second stamp ------------------------------------------------------------------------ */

static size_t stm(const void *payload, void *reply_payload, irq_error_t *error) {
    (void)payload;
    (void)error;
    return trace_set_up(reply_payload);
}

static size_t trace(const void *payload, void *reply_payload, irq_error_t *error) {
    const irq_trace_request_t *request = payload;
    (void)error;
    return trace_read(request->offset, reply_payload);
}

const struct link_request requests[] = {
    {IRQ_KIND_HELLO, sizeof(irq_hello_request_t), hello},
    {IRQ_KIND_BAUD, sizeof(irq_baud_request_t), baud},
    {IRQ_KIND_STACK, 0, stack},
    {IRQ_KIND_CLEAR, 0, clear},
    {IRQ_KIND_LINE, sizeof(irq_line_request_t), line},
    {IRQ_KIND_CHANNEL, sizeof(irq_channel_request_t), channel},
    {IRQ_KIND_PIN, sizeof(irq_pin_request_t), pin},
    {IRQ_KIND_RECORDER, sizeof(irq_recorder_request_t), recorder},
    {IRQ_KIND_CASE, sizeof(irq_case_request_t), set_case},
#if MACHINE_HAS_LOCKDOWN
    {IRQ_KIND_LOCK, sizeof(irq_lock_request_t), lock},
#endif
    {IRQ_KIND_CORE, sizeof(irq_core_request_t), core},
    {IRQ_KIND_FURTHER, sizeof(irq_further_request_t), further},
    {IRQ_KIND_STRETCH, sizeof(irq_stretch_request_t), stretch},
    {IRQ_KIND_BATCH, sizeof(irq_batch_request_t), batch},
    {IRQ_KIND_BOOKS, sizeof(irq_books_request_t), books},
    {IRQ_KIND_LINE_STATUS, sizeof(irq_line_status_request_t), line_status},
    {IRQ_KIND_HISTOGRAM, sizeof(irq_histogram_request_t), histogram},
    {IRQ_KIND_RECORDS, sizeof(irq_records_request_t), records},
    {IRQ_KIND_PLACES, sizeof(irq_places_request_t), places},
    {IRQ_KIND_PL_STATE, 0, pl_state},
    {IRQ_KIND_BUILD, 0, build},
    {IRQ_KIND_CLOCKS, sizeof(irq_clocks_request_t), clocks},
    {IRQ_KIND_WATCH, sizeof(irq_watch_request_t), watch},
    {IRQ_KIND_SEND, sizeof(irq_send_request_t), send},
    {IRQ_KIND_ECHO, sizeof(irq_echo_request_t), echo},
    {IRQ_KIND_STM, 0, stm},
    {IRQ_KIND_TRACE, sizeof(irq_trace_request_t), trace},
};
const size_t request_count = sizeof requests / sizeof requests[0];
