#include "cases/case.h"

#include "cases/gateware.h"
#include "cases/geometry.h"
#include "cases/interrupts.h"
#include "cases/kind.h"
#include "cases/parts/background.h"
#include "cases/parts/cores.h"
#include "cases/parts/ending.h"
#include "cases/parts/handling.h"
#if MACHINE_HAS_LINE_INTERRUPTS
#include "cases/parts/line_interrupts.h"
#endif
#include "cases/parts/origin.h"
#include "cases/parts/phase.h"
#include "cases/parts/raising.h"
#include "cases/parts/timer_tick.h"
#include "cases/parts/waiting.h"
#include "cases/parts/warm_up.h"
#include "cases/validity.h"
#include "lib/memory.h"
#include "machine/caches.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#if MACHINE_HAS_LOCKDOWN
#include "machine/lockdown.h"
#endif
#include "machine/port.h"
#include "machine/state.h"
#include "machine/trace.h"
#include "machine/translation.h"
#include "stacks/stack.h"

/* Time from arming to the common start. 600 us: arming, the last rounds of the warm-up and
 * falling asleep take less, even with the caches off. 30 ms: emptying the second level of caches
 * five times takes less, as does a load five times, if done in each round. */
#define MARGIN_TICKS (150000 * PORT_TIME_FACTOR)
#define MARGIN_WITH_WORK_TICKS 7500000

/* The output's number, as finished_route counts them. */
#define FINISHED_SPI_BIT (UINT32_C(1) << MACHINE_FINISHED_OUTPUT)

static irq_case_request_t current;
static const struct case_kind *kind; /* NULL: no case */

/* Routing of the lines that are taken back by their marker. */
static uint16_t acknowledged_spi[LINES_MOST];
static uint8_t acknowledged_ppi[LINES_MOST];
#define PINS 8                  /* input pins of the gateware, each with a register of its own */
static uint8_t pin_cores[PINS]; /* of each pin: mask of the cores whose markers it gives */
static unsigned stm_lines;      /* mask of those that are copied to the STM */

bool case_prepare(const irq_case_request_t *request, uint32_t *field) {
    enum irq_case_field offending;
    const struct case_kind *wanted = validity_of(request, &offending);
    if (wanted == NULL) {
        *field = offending;
        return false;
    }
    if (kind != NULL)
        irq_disable(current.interrupt);
    memcpy(&current, request, sizeof current);
    kind = wanted;
    background_forget();
#if MACHINE_HAS_LINE_INTERRUPTS
    line_interrupts_forget();
#endif

    cores_prepare(&current, kind);
    unsigned targets = cores_handling(&current, kind);
    irq_configure(request->interrupt, request->priority, (uint8_t)targets,
                  (enum irq_sense)request->trigger);
    /* The end of a batch may wait for the measured interrupt's handler, never the other way round.
     */
    irq_configure(IRQ_FINISHED, IRQ_PRIORITY_LAST, 1, IRQ_BY_LEVEL);
    irq_clear_pending(request->interrupt);
    if (kind->takes_interrupts)
        irq_enable(request->interrupt);
    stack_prepare(request->interrupt, IRQ_FINISHED, request->markers, request->dispatcher,
                  request->placement);
    waiting_prepare(&current, kind);
    timer_tick_prepare(&current);
    if (kind->prepare != NULL)
        kind->prepare(&current);
    origin_forget();
    cores_read_back(&current, kind);
    return true;
}

bool case_is_set(void) { return kind != NULL; }

#if MACHINE_HAS_LOCKDOWN
bool case_lock(uint8_t which, irq_register_t *to, size_t *length) {
    irq_batch_request_t none = {0};
    struct case_result unused;
    if (kind == NULL || kind->lock == NULL)
        return false;
    kind->lock(which);
    kind->begin(&current, &none);
    *length = lockdown_read(to);
    kind->end(&current, &unused);
    return true;
}
#endif

void case_forget(void) {
    kind = NULL;
    parking_abandon();
}

size_t case_read_back(irq_case_reply_t *reply) {
    unsigned id = current.interrupt;
    unsigned background;
    (void)background_chosen(&background);
    struct stack_readback stack = stack_readback();
    struct state state;
    state_read(&state);
    *reply = (irq_case_reply_t){
        .case_id = kind->id,
        .markers = stack.markers,
        .idle = current.idle,
        .trigger = (uint8_t)irq_trigger(id),
        .dispatcher = stack.dispatcher,
        .priority = irq_priority(id),
        .targets = irq_targets(id),
        .enabled = irq_is_enabled(id),
        .pending = irq_is_pending(id),
        .core = (uint8_t)cpu_number(),
        .caches = state_caches(&state),
        .interrupt = (uint16_t)id,
        .vector = stack.vbar,
        .handler = stack.handler,
        .call_stack = stack.call_stack,
        .placement = stack.placement,
        .pages = (uint8_t)mmu_pages_of(TRANSLATED),
        .memory = (uint8_t)mmu_memory_of(stack.vbar),
        .cores_running = (uint8_t)parking_cores(),
        .raising_core = (uint8_t)cores_raising(&current, kind),
        .background = (uint16_t)background,
        .divisor = waiting_divisor(),
        .timer_tick_period = stack_core()->timer_tick_period,
    };
    if (kind->read_back != NULL)
        kind->read_back(reply);
    return sizeof *reply + state_put_case(id, (irq_register_t *)(reply + 1));
}

bool case_note_line(const irq_line_request_t *line) {
    unsigned background;
    const irq_background_tail_t *chosen = background_chosen(&background);
    for (unsigned i = 0; i < background && line->enable; i++)
        if (interrupt_is_shared(chosen[i].id) &&
            (line->shared & interrupt_output(chosen[i].id)) != 0)
            return false;
#if MACHINE_HAS_LINE_INTERRUPTS
    if (kind != NULL && kind->takes_interrupts)
        line_interrupts_note(&current, line);
#endif
    bool acknowledged = line->enable && line->mode == IRQSCOPE_LINE_MODE_ACKNOWLEDGED;
    acknowledged_spi[line->index] = acknowledged ? line->shared : 0;
    acknowledged_ppi[line->index] = acknowledged ? line->private : 0;
    stm_lines &= ~(1u << line->index);
    stm_lines |= (unsigned)(line->enable && line->stm) << line->index;
    return true;
}

void case_note_pin(unsigned pin, unsigned core, bool used) {
    pin_cores[pin] = used ? (uint8_t)(1u << core) : 0;
}

/* Whether the measured interrupt's line is taken back by its marker. */
static bool is_acknowledged(void) {
    unsigned id = current.interrupt;
    unsigned spi = 0, ppi = 0;
    if (id == IRQ_PRIVATE)
        ppi = 1u << cpu_number();
    else if (interrupt_is_shared(id))
        spi = interrupt_output(id);
    for (unsigned line = 0; line < LINES_MOST; line++)
        if ((acknowledged_spi[line] & spi) != 0 || (acknowledged_ppi[line] & ppi) != 0)
            return true;
    return false;
}

/* An SGI's batch is over when the core has raised the last one. */
static bool ends_by_interrupt(void) {
    return kind->ends_by_interrupt && !interrupt_is_software(current.interrupt);
}

/* The handler ends the interrupt only when its line is low again. It reads the pending bit,
 * which an active level interrupt has as well while its line is asserted. */
static void wait_for_the_line(struct stack_core *core) {
    unsigned id = current.interrupt;
    core->level_register = irq_pending_register(id);
    core->level_mask = irq_bit(id);
}

/* Where the batch's markers come from. */
static uint32_t captured(void) {
    uint32_t cores = 0;
    for (unsigned pin = 0; pin < PINS && kind->pins; pin++)
        cores |= pin_cores[pin];
    return (kind->loopback ? IRQSCOPE__CAPTURE__LOOPBACK_bm : 0) |
           cores << IRQSCOPE__CAPTURE__PIN_CORES_bp;
}

/* Everything that the batch counts begins from the same state, whatever was asked before. */
static void settle(const irq_batch_request_t *batch) {
    gateware_show_toggle();
    origin_prepare();
    handling_zero_counts();
    warm_up_forget();
    port_write(PORT_WORD(capture), captured());
    port_write(PORT_WORD(finished_route), ends_by_interrupt() ? FINISHED_SPI_BIT : 0);
    irq_clear_pending(current.interrupt);
    if (current.caches)
        caches_flush();
    if (trace_is_of(current.markers))
        trace_prepare(stm_lines);
    tlb_invalidate();
    phase_wait();
    if (kind->begin != NULL)
        kind->begin(&current, batch);
    cores_begin(&current, kind);
    gateware_wait_for_toggles(cores_handling(&current, kind) & parking_cores());
}

static void begin_counting(void) {
    stack_begin();
    if (current.trigger == IRQ_TRIGGER_LEVEL && is_acknowledged())
        wait_for_the_line(stack_core());
}

static void warm_up(void) {
    begin_counting();
    warm_up_run(&current, kind);
    begin_counting();
    if (ends_by_interrupt())
        irq_enable(IRQ_FINISHED);
}

/* When the batch starts, everything that software times has gone through at least one period.
 * Background interrupts have then been raised twice: answers amid the first backlog were found to
 * differ. */
static uint32_t margin(void) {
    uint32_t period = current.timer_tick_period;
    if (current.background != 0 && current.raise_period > period / 2)
        period = 2 * current.raise_period;
    bool works = kind->before_wait != NULL || kind->after_marker != NULL;
    uint32_t least = works ? MARGIN_WITH_WORK_TICKS : MARGIN_TICKS;
    return least + (uint32_t)origin_ticks(period);
}

static void run(struct case_result *result, uint64_t start_tick) {
    if (!ends_by_interrupt()) {
        unsigned failed_word; /* the clock that acknowledges each access runs, or they fail */
        while (port_now() < start_tick && !port_failed(&failed_word)) {
        }
        phase_run(kind, &current, result);
    } else {
        kind->run(&current, result);
    }
    timer_tick_stop();
    if (!ends_by_interrupt() && !result->unfinished)
        gateware_wait_until_finished();
}

/* Undoes `settle`, for what would otherwise go on. */
static void finish(struct case_result *result) {
    gateware_disarm();
    cores_end();
    if (trace_is_of(current.markers))
        trace_close();
    irq_disable(IRQ_FINISHED);
    if (kind->end != NULL)
        kind->end(&current, result);
}

/* The counts of one core. */
static const struct stack_core *counts(unsigned core) {
    return core == cpu_number() ? stack_core() : handling_core(core);
}

/* The reply has more cores than some machines. */
static uint32_t handled_by(unsigned core) { return core < CORES ? counts(core)->handled : 0; }

static uint32_t spurious_on_all(void) {
    uint32_t sum = 0;
    for (unsigned core = 0; core < CORES; core++)
        sum += counts(core)->spurious;
    return sum;
}

irq_error_t case_run_batch(const irq_batch_request_t *request, irq_batch_reply_t *reply) {
    struct case_result result = {0};
    uint64_t start_tick;

    if (ends_by_interrupt() && !ending_arrives(FINISHED_SPI_BIT))
        return (irq_error_t){IRQ_ERROR_CODE_NO_END, 0, 0};
    irq_disable(IRQ_LINK);
    settle(request);
    warm_up();
    bool armed = gateware_arm(margin(), request->since_ticks, &start_tick);
    unsigned failed_word;
    origin_set(start_tick, request->since_ticks);
    raising_start(&current);
    reply->first_timer_tick = timer_tick_start(&current);
    warm_up_last(&current);
    if (armed && !port_failed(&failed_word)) {
        run(&result, start_tick);
        reply->result = IRQ_BATCH_RESULT_COMPLETE;
    } else {
        timer_tick_stop();
        reply->result = IRQ_BATCH_RESULT_REFUSED;
    }
    finish(&result);
    irq_enable(IRQ_LINK);

    reply->start_tick = start_tick;
    reply->end_tick = port_now();
    reply->errors = port_read(PORT_WORD(errors));
    reply->handled_0 = handled_by(0);
    reply->handled_1 = handled_by(1);
    reply->handled_2 = handled_by(2);
    reply->handled_3 = handled_by(3);
    reply->warm_up_0 = warm_up_handled(0);
    reply->warm_up_1 = warm_up_handled(1);
    reply->warm_up_2 = warm_up_handled(2);
    reply->warm_up_3 = warm_up_handled(3);
    reply->spurious = spurious_on_all();
    reply->others = stack_core()->others;
    reply->held = stack_core()->held;
    reply->waiting = port_read(PORT_WORD(recorder.waiting));
    reply->stamped = port_read64(PORT_WORD(recorder.stamped));
    reply->lost = port_read64(PORT_WORD(recorder.lost));
    reply->cycles_count = result.cycles.count;
    reply->cycles_min = result.cycles.min;
    reply->cycles_max = result.cycles.max;
    reply->cycles_sum = result.cycles.sum;
    reply->idles = result.idles;
    reply->loads_0 = result.loads[0];
    reply->loads_1 = result.loads[1];
    reply->loads_2 = result.loads[2];
    reply->loads_3 = result.loads[3];
    reply->raised = cores_raising(&current, kind) != 0 ? raising_count() : 0;
    reply->timer_ticks = stack_core()->timer_ticks;
    reply->nested = stack_core()->nested;
    return result.error;
}
