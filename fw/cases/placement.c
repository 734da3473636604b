/* Once a period the core stores a marker and then runs code under test. The gateware raises
 * the line after that marker, each time a step later. */
#include "cases/placement.h"

#include "cases/interrupts.h"
#include "cases/kind.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/marker.h"
#include "machine/port.h"
#include "machine/timer.h"
#include "stacks/stack.h"

/* Stimuli of one batch: the FIFO has room for a record of each line's edge, of its marker and of
 * the handler's. */
#define STIMULI_MAX 4096

/* Notes of places are where other cases have the arrays of a load, which this case has not. */
#define PLACES ((volatile uint32_t *)ARRAYS_BASE)

static irq_code_under_test_request_t asked;
static volatile uint32_t round; /* the stimulus of this batch whose interrupt comes or came */

bool placement_set(const irq_code_under_test_request_t *request) {
    asked = *request;
    return request->count <= STIMULI_MAX;
}

bool placement_is_open(void) { return *(const volatile uint32_t *)&stack_core()->handled <= round; }

size_t placement_read(uint32_t first, irq_places_reply_t *reply) {
    irq_places_tail_t *tail = (irq_places_tail_t *)(reply + 1);
    unsigned room = (IRQ_MAX_PAYLOAD - sizeof *reply) / sizeof *tail;
    unsigned filled = 0;
    *reply = (irq_places_reply_t){
        .accepted = port_read(PORT_WORD(placement.accepted)),
        .ignored = port_read(PORT_WORD(placement.ignored)),
        .total = asked.count,
    };
    for (; first < asked.count && filled < room; first++)
        tail[filled++].address = PLACES[first];
    return sizeof *reply + filled * sizeof *tail;
}

static void note_place(void) { PLACES[round] = (uint32_t)interrupted_at(); }

static bool is_valid(const irq_case_request_t *request, enum irq_case_field *field) {
    *field = IRQ_CASE_FIELD_INTERRUPT;
    return ARRAYS_SIZE != 0 && !interrupt_is_software(request->interrupt);
}

static void prepare(const irq_case_request_t *request) {
    (void)request;
    stack_core()->after_marker = note_place;
}

/* When off, the gateware works as if it had no placement. */
static void switch_placement(bool on) {
    port_write(PORT_WORD(placement.config),
               (uint32_t)on << IRQSCOPE__PLACEMENT__CONFIG__ENABLE_bp |
                   (uint32_t)asked.line << IRQSCOPE__PLACEMENT__CONFIG__LINE_bp |
                   (uint32_t)asked.cores << IRQSCOPE__PLACEMENT__CONFIG__CORES_bp |
                   (uint32_t)asked.code << IRQSCOPE__PLACEMENT__CONFIG__CODE_bp);
}

static void begin(const irq_case_request_t *request, const irq_batch_request_t *batch) {
    (void)request;
    (void)batch;
    port_write(PORT_WORD(placement.first), asked.first);
    port_write(PORT_WORD(placement.step), asked.step);
    port_write(PORT_WORD(placement.last), asked.last);
    port_write(PORT_WORD(placement.count), asked.count);
    switch_placement(true);
    for (uint32_t n = 0; n < asked.count; n++)
        PLACES[n] = 0;
    round = 0;
}

static void wait_until(uint64_t time) {
    while (timer_now() < time) {
    }
}

/* The line rises no earlier than PLACEMENT_NOPS instructions after the marker. */
static void run_once(void (*code_under_test)(void), unsigned start) {
    interrupts_mask();
    marker_send(start);
    interrupts_unmask();
    __asm__ volatile(".rept %c0\n\tnop\n\t.endr" : : "i"(PLACEMENT_NOPS) : "memory");
    code_under_test();
}

static void run(const irq_case_request_t *request, struct case_result *result) {
    void (*code_under_test)(void) = (void (*)(void))(uintptr_t)asked.address;
    unsigned start = MARKER_CHANGE(stack_first_marker(request->markers), IRQSCOPE_MARKER_START);
    uint64_t next = timer_now();
    interrupts_unmask();
    for (uint32_t n = 0; n < asked.count; n++) {
        round = n;
        run_once(code_under_test, start);
        next += asked.period;
        wait_until(next); /* the interrupt may come after the code */
    }
    interrupts_mask();
    result->idles = asked.count;
    result->unfinished = port_read(PORT_WORD(placement.accepted)) != asked.count;
}

static void end(const irq_case_request_t *request, struct case_result *result) {
    (void)request;
    (void)result;
    switch_placement(false);
}

const struct case_kind case_placement = {
    .id = IRQ_CASE_ID_PLACEMENT,
    .uses = USES_STANDING | USES(TIMER_TICK_PERIOD) | USES(TIMER_TICK_WORK),
    .takes_interrupts = true,
    .is_valid = is_valid,
    .prepare = prepare,
    .begin = begin,
    .run = run,
    .end = end,
};
CASE(case_placement);
