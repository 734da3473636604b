/* Requests about the link: identity, rate, and whether bytes arrive intact. */
#include "cases/requests/each.h"

#include "cases/gateware.h"
#include "cases/requests.h"
#include "lib/memory.h"
#include "machine/cpu.h"
#include "machine/port.h"
#include "machine/state.h"
#include "machine/uart.h"
#include "stacks/stack.h"

#define FIRMWARE_VERSION (0u << 16 | 1u)

/* Read from memory. A hash within an instruction would decide how many instructions there are, and
 * so move all code after it. The first one is written after the link (firmware_hash.py); not 0,
 * or the file might have no place for it. */
static const volatile uint32_t firmware_hash = UINT32_MAX;
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

size_t request_hello(const void *payload, void *reply_payload, irq_error_t *error) {
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
    if (!gateware_begin(error))
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
        .built_for = MACHINE_NUMBER | PROGRAM_ON_CHIP * IRQ_BUILT_ON_CHIP,
    };
    return answered(sizeof *reply, error);
}

size_t request_baud(const void *payload, void *reply_payload, irq_error_t *error) {
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

size_t request_stack(const void *payload, void *reply_payload, irq_error_t *error) {
    irq_stack_reply_t *reply = reply_payload;
    char *text = (char *)(reply + 1);
    (void)payload;
    (void)error;
    size_t length = append(text, 0, stack_description.name);
    length = append(text, append(text, length, "\n"), stack_description.version);
    length = append(text, append(text, length, "\n"), stack_description.configuration);
    reply->length = (uint16_t)length;
    reply->nests = stack_description.nests;
    return sizeof *reply + length;
}

size_t request_build(const void *payload, void *reply_payload, irq_error_t *error) {
    (void)payload;
    (void)error;
    *(irq_build_reply_t *)reply_payload = (irq_build_reply_t){messages_hash, registers_hash};
    return sizeof(irq_build_reply_t);
}

size_t request_echo(const void *payload, void *reply_payload, irq_error_t *error) {
    irq_echo_reply_t *reply = reply_payload;
    struct uart_errors errors = uart_errors();
    (void)error;
    memcpy(reply, payload, sizeof(irq_echo_request_t));
    reply->overruns = errors.overruns;
    reply->framing_errors = errors.framing;
    reply->parity_errors = errors.parity;
    return sizeof *reply;
}
