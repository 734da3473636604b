#include "cases/case.h"

#include "cases/gateware.h"
#include "soc/caches.h"
#include "soc/cpu.h"
#include "soc/emio.h"
#include "soc/gic.h"
#include "soc/memory.h"
#include "stacks/baremetal/baremetal.h"

/* The end of a batch may wait for the measured interrupt's handler, never the other way round. */
#define PRIORITY_FINISHED 0xF0
/* finished_route counts pl_ps_irq1[7:0] as bits 15:8. */
#define FINISHED_SPI_BIT (UINT32_C(1) << (8 + IRQ_FINISHED - IRQ_PL_FIRST_HIGH))

/* Fields of irq_case_request_t, for BAD_VALUE. */
enum case_field {
    FIELD_CASE_ID,
    FIELD_MARKERS,
    FIELD_IDLE,
    FIELD_TRIGGER,
    FIELD_DISPATCHER,
    FIELD_CACHES,
    FIELD_PRIORITY,
    FIELD_CORE,
    FIELD_INTERRUPT,
    FIELD_COUNT,
};

static const struct case_kind *const kinds[] = {
    &case_latency,     &case_cal_loopback,      &case_cal_probe,
    &case_cal_pending, &case_cal_one_way_store, &case_cal_one_way_echo,
};

static irq_case_request_t in_force;
static const struct case_kind *kind; /* NULL: no case */

/* Routing of the lines that are taken back by their marker. */
#define LINES IRQSCOPE__GEOMETRY__LINES_reset
static uint16_t acknowledged_spi[LINES];
static uint8_t acknowledged_ppi[LINES];

static const struct case_kind *find(uint8_t id) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i]->id == id)
            return kinds[i];
    return NULL;
}

static bool is_pl_interrupt(unsigned id) {
    return id == IRQ_LEGACY_PPI || (id >= IRQ_PL_FIRST_LOW && id < IRQ_PL_FIRST_LOW + 8) ||
           (id >= IRQ_PL_FIRST_HIGH && id < IRQ_FINISHED);
}

static bool refuse(uint32_t *field, enum case_field which) {
    *field = which;
    return false;
}

static bool is_valid(const irq_case_request_t *request, uint32_t *field) {
    const struct case_kind *wanted = find(request->case_id);
    if (wanted == NULL)
        return refuse(field, FIELD_CASE_ID);
    if (request->markers > IRQ_MARKERS_STAGES)
        return refuse(field, FIELD_MARKERS);
    if (request->idle > IRQ_IDLE_SPIN)
        return refuse(field, FIELD_IDLE);
    if (request->dispatcher > IRQ_DISPATCHER_TABLE)
        return refuse(field, FIELD_DISPATCHER);
    if (request->caches > 1)
        return refuse(field, FIELD_CACHES);
    if (request->priority >= PRIORITY_FINISHED)
        return refuse(field, FIELD_PRIORITY);
    if (request->core != cpu_number())
        return refuse(field, FIELD_CORE);
    if (!is_pl_interrupt(request->interrupt))
        return refuse(field, FIELD_INTERRUPT);
    if (request->trigger > IRQ_TRIGGER_RISING_EDGE ||
        (request->interrupt == IRQ_LEGACY_PPI && request->trigger != IRQ_TRIGGER_LEVEL))
        return refuse(field, FIELD_TRIGGER);
    if (wanted->counted != (request->count != 0))
        return refuse(field, FIELD_COUNT);
    return true;
}

bool case_prepare(const irq_case_request_t *request, uint32_t *field) {
    if (!is_valid(request, field))
        return false;
    if (kind != NULL)
        gic_disable(in_force.interrupt);
    memcpy(&in_force, request, sizeof in_force);
    kind = find(request->case_id);

    if (request->caches)
        caches_on();
    else
        caches_off();
    uint8_t here = (uint8_t)(1u << cpu_number());
    gic_configure(request->interrupt, request->priority, here, (enum gic_trigger)request->trigger);
    gic_configure(IRQ_FINISHED, PRIORITY_FINISHED, here, GIC_LEVEL);
    gic_clear_pending(request->interrupt);
    if (kind->takes_interrupts)
        gic_enable(request->interrupt);
    baremetal_prepare(request->interrupt, request->markers, request->dispatcher);
    return true;
}

bool case_is_set(void) { return kind != NULL; }

void case_forget(void) { kind = NULL; }

void case_read_back(irq_case_reply_t *reply) {
    unsigned id = in_force.interrupt;
    memset(reply, 0, sizeof *reply);
    reply->case_id = kind->id;
    baremetal_in_force(&reply->markers, &reply->dispatcher);
    reply->idle = in_force.idle;
    reply->trigger = (uint8_t)gic_trigger(id);
    reply->priority = GICD->ipriorityr[id];
    reply->targets = GICD->itargetsr[id];
    reply->group = (uint8_t)gic_group(id);
    reply->enabled = gic_is_enabled(id);
    reply->pending = gic_is_pending(id);
    reply->core = (uint8_t)cpu_number();
    reply->interrupt = in_force.interrupt;
    reply->sctlr = (uint32_t)READ_SYSREG(sctlr_el3);
    reply->gicd_ctlr = GICD->ctlr;
    reply->gicc_ctlr = GICC->ctlr;
    reply->gicc_pmr = GICC->pmr;
    reply->ppi_status = GICD->ppisr;
    reply->scr = (uint32_t)READ_SYSREG(scr_el3);
    reply->cpuectlr = READ_CPUECTLR();
}

void case_note_line(const irq_line_request_t *line) {
    bool acknowledged = line->enable && line->mode == IRQSCOPE_LINE_MODE_ACKNOWLEDGED;
    acknowledged_spi[line->index] = acknowledged ? line->spi : 0;
    acknowledged_ppi[line->index] = acknowledged ? line->ppi : 0;
}

/* Whether the measured interrupt's line is taken back by its marker. */
static bool is_acknowledged(void) {
    unsigned id = in_force.interrupt;
    unsigned spi = 0, ppi = 0;
    if (id == IRQ_LEGACY_PPI)
        ppi = 1u << cpu_number();
    else
        spi = 1u << (id < IRQ_PL_FIRST_HIGH ? id - IRQ_PL_FIRST_LOW : id - IRQ_PL_FIRST_HIGH + 8);
    for (unsigned line = 0; line < LINES; line++)
        if ((acknowledged_spi[line] & spi) != 0 || (acknowledged_ppi[line] & ppi) != 0)
            return true;
    return false;
}

/* Everything that the batch counts begins from the same state, whatever was asked before it. */
static void settle(void) {
    gateware_show_toggle();
    baremetal_begin(in_force.trigger == IRQ_TRIGGER_LEVEL && is_acknowledged());
    emio_write(EMIO_WORD(capture), kind->loopback ? IRQSCOPE__CAPTURE__LOOPBACK_bm : 0);
    emio_write(EMIO_WORD(finished_route), kind->ends_by_interrupt ? FINISHED_SPI_BIT : 0);
    gic_clear_pending(in_force.interrupt);
    if (kind->ends_by_interrupt)
        gic_enable(IRQ_FINISHED);
    if (in_force.caches)
        caches_flush();
}

static void run(struct case_result *result, uint64_t start_tick) {
    if (!kind->ends_by_interrupt) {
        unsigned failed_word;
        while (emio_now() < start_tick && !emio_failed(&failed_word)) {
        }
    }
    kind->run(&in_force, result);
    if (!kind->ends_by_interrupt)
        gateware_wait(EMIO_WORD(status), IRQSCOPE__STATUS__FINISHED_bm, true);
}

void case_run_batch(irq_batch_reply_t *reply) {
    struct case_result result = {0};
    uint64_t start_tick;

    settle();
    gic_disable(IRQ_UART0);
    bool armed = gateware_arm(&start_tick);
    unsigned failed_word;
    if (armed && !emio_failed(&failed_word)) {
        run(&result, start_tick);
        reply->result = IRQ_BATCH_RESULT_COMPLETE;
    } else {
        reply->result = IRQ_BATCH_RESULT_REFUSED;
    }
    gateware_disarm();
    gic_disable(IRQ_FINISHED);
    gic_enable(IRQ_UART0);

    reply->start_tick = start_tick;
    reply->end_tick = emio_now();
    reply->errors = emio_read(EMIO_WORD(errors));
    reply->handled_0 = baremetal_counts.handled;
    reply->spurious = baremetal_counts.spurious;
    reply->others = baremetal_counts.others;
    reply->waiting = emio_read(EMIO_WORD(recorder.waiting));
    reply->stamped = emio_read64(EMIO_WORD(recorder.stamped));
    reply->lost = emio_read64(EMIO_WORD(recorder.lost));
    reply->cycles_count = result.cycles.count;
    reply->cycles_min = result.cycles.min;
    reply->cycles_max = result.cycles.max;
    reply->cycles_sum = result.cycles.sum;
    reply->idles = result.idles;
}
