/* Calibration: the cost of the probe itself (docs: "What is measured, and how exactly"). */
#include "cases/kind.h"
#include "machine/counter.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/marker.h"
#include "machine/port.h"
#include "stacks/stack.h"

/* The echo comes after about 0.3 us; a poll takes at least 0.1 us. */
#define ECHO_POLLS 10000

/* (a) The gateware's line is its own marker: the core only waits for the end. The line sets the
 * pace. */
static void run_loopback(const irq_case_request_t *request, struct case_result *result) {
    result->idles =
        (uint32_t)stack_wait(&(struct stack_waiting){.spin = request->idle == IRQ_IDLE_SPIN});
}

static const struct case_kind case_cal_loopback = {
    .id = IRQ_CASE_ID_CAL_LOOPBACK,
    .uses = USES_STANDING,
    .counted = true,
    .ends_by_interrupt = true,
    .loopback = true,
    .run = run_loopback,
};
CASE(case_cal_loopback);

/* (b) Two stores with nothing between them; a core's pairs are apart. */
struct pair {
    uint32_t first, second;
};

static struct pair make_pair(enum irqscope_marker first, enum irqscope_marker second) {
    marker_set_first(first);
    uint32_t word = (uint32_t)marker_word();
    return (struct pair){word, word ^ MARKER_CHANGE(first, second) ^ MARKER_TOGGLES};
}

static void send_pair(struct pair pair) {
    /* After two markers the toggle is where it was: the next word stays right. */
    marker_store_two(pair.first, pair.second);
    marker_wait();
}

static void run_probe(const irq_case_request_t *request, struct case_result *result) {
    (void)result;
    struct pair pair = make_pair(IRQSCOPE_MARKER_PROBE_FIRST, IRQSCOPE_MARKER_PROBE_SECOND);
    for (uint32_t sent = 0; sent < request->count; sent++)
        send_pair(pair);
}

/* The other cores of the case store as well, and nobody stamps their stores: all share one bus.
 * Core 0 ends their work when it has sent its own. */
static void send_pairs(uintptr_t request) {
    (void)request;
    struct pair pair = make_pair(IRQSCOPE_MARKER_DUMMY, IRQSCOPE_MARKER_DUMMY);
    parking_ready();
    while (irq_highest() != PARKING_STOP)
        send_pair(pair);
}

static parking_work_t probe_work(const irq_case_request_t *request, unsigned core) {
    return core < request->cores ? send_pairs : NULL;
}

static const struct case_kind case_cal_probe = {
    .id = IRQ_CASE_ID_CAL_PROBE,
    .uses = USES_STANDING | USES(CORES) | USES(WARM_UP),
    .counted = true,
    .run = run_probe,
    .work = probe_work,
};
CASE(case_cal_probe);

/* (c) The handler alone: the interrupt is pending already when the core unmasks interrupts. The
 * line sets the pace, also of the first rounds, whose markers do not reach the pins. The loop ends,
 * for the interrupt that ends a batch was seen to arrive (cases/parts/ending.h). */
static void run_pending(const irq_case_request_t *request, struct case_result *result) {
    unsigned start = MARKER_CHANGE(stack_first_marker(request->markers), IRQSCOPE_MARKER_START);
    /* Both markers of a round leave the toggle where it was. */
    uint64_t word = marker_word();
    uint32_t led = 0;
    while (!stack_core()->finished) {
        /* No branch: one that changes its way after the warm-up would not be foreseen. */
        marker_set_word(word | (led < request->warm_up) * MARKER_PROTECTED);
        wait_for_interrupt(); /* masked: wakes the core, is not taken */
        result->idles++;
        unsigned pending = irq_highest();
        if (pending == IRQ_FINISHED)
            return;
        if (pending >= IRQ_FIRST_SPECIAL)
            continue;
        marker_send(start);
        interrupts_unmask();
        isb();
        interrupts_mask();
        led++;
    }
}

static const struct case_kind case_cal_pending = {
    .id = IRQ_CASE_ID_CAL_PENDING,
    .uses = USES_STANDING | USES(WARM_UP),
    .counted = true,
    .takes_interrupts = true,
    .ends_by_interrupt = true,
    .leads_in = true,
    .run = run_pending,
};
CASE(case_cal_pending);

/* It has no branches: the values would decide whether a branch is foreseen, and that would decide
 * when the next round begins. */
static void add_cycles(struct cycle_statistics *statistics, uint64_t cycles) {
    uint32_t value = cycles > UINT32_MAX ? UINT32_MAX : (uint32_t)cycles;
    bool least = (statistics->count == 0) | (value < statistics->min);
    statistics->min = least ? value : statistics->min;
    statistics->max = value > statistics->max ? value : statistics->max;
    statistics->count++;
    statistics->sum += cycles;
}

/* (d) Upper bounds of the way from core to PL, which no loop-back in the PL sees. The first
 * bound is a store that is complete only when the controller has it. */
static void run_one_way_store(const irq_case_request_t *request, struct case_result *result) {
    marker_set_first(IRQSCOPE_MARKER_DUMMY);
    for (uint32_t i = 0; i < request->count; i++) {
        uint64_t word = marker_word();
        dsb();
        uint64_t start = counter_cycles();
        marker_store_complete((uint32_t)word);
        dsb();
        add_cycles(&result->cycles, counter_cycles_since(start));
        marker_set_word(word ^ MARKER_TOGGLES);
    }
}

static const struct case_kind case_cal_one_way_store = {
    .id = IRQ_CASE_ID_CAL_ONE_WAY_STORE,
    .uses = USES_STANDING | USES(WARM_UP),
    .counted = true,
    .run = run_one_way_store,
};
CASE(case_cal_one_way_store);

/* The second bound ends when the PL's echo of the toggle has come back. */
static void run_one_way_echo(const irq_case_request_t *request, struct case_result *result) {
    unsigned core = cpu_number();
    marker_set_first(IRQSCOPE_MARKER_DUMMY);
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t before = port_echo(core);
        uint32_t after;
        unsigned polls = 0;
        dsb();
        uint64_t start = counter_cycles();
        marker_send_first();
        do {
            after = port_echo(core);
        } while (after == before && ++polls < ECHO_POLLS);
        uint64_t cycles = counter_cycles_since(start);
        if (after == before)
            return; /* fewer than asked for: the count says so */
        add_cycles(&result->cycles, cycles);
    }
}

static const struct case_kind case_cal_one_way_echo = {
    .id = IRQ_CASE_ID_CAL_ONE_WAY_ECHO,
    .uses = USES_STANDING | USES(WARM_UP),
    .counted = true,
    .run = run_one_way_echo,
};
CASE(case_cal_one_way_echo);
