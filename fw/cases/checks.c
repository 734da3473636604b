#include "cases/checks.h"

#include "cases/gateware.h"
#include "soc/counter.h"
#include "soc/cpu.h"
#include "soc/emio.h"
#include "soc/gic.h"
#include "soc/marker.h"
#include "soc/parking.h"
#include "soc/timer.h"

/* ---- whether the PL can work ----------------------------------------------------------------- */

#define CSU_PCAP_STATUS (CSU_BASE + 0x3010)
#define PMU_GLOBAL_PWR_STATE (PMU_GLOBAL_BASE + 0x100)
#define PL0_REF_CTRL (CRL_APB_BASE + 0xC0)

static void walk(uint32_t pattern, irq_pl_state_reply_t *reply) {
    emio_write(EMIO_WORD(scratch), pattern);
    uint32_t read = emio_read(EMIO_WORD(scratch));
    reply->never_1 &= ~read;
    reply->never_0 &= read;
}

void checks_pl_state(irq_pl_state_reply_t *reply) {
    *reply = (irq_pl_state_reply_t){
        .pcap_status = mmio_read32(CSU_PCAP_STATUS),
        .pwr_state = mmio_read32(PMU_GLOBAL_PWR_STATE),
        .pl0_ref_ctrl = mmio_read32(PL0_REF_CTRL),
        .dirm_5 = gpio_read(GPIO_DIRM_5),
        .oen_5 = gpio_read(GPIO_OEN_5),
        .data_5 = gpio_read(GPIO_DATA_5),
        .never_1 = UINT32_MAX,
        .never_0 = UINT32_MAX,
    };
    emio_recover();
    for (unsigned bit = 0; bit < 32; bit++) {
        walk(UINT32_C(1) << bit, reply);
        walk(~(UINT32_C(1) << bit), reply);
    }
    unsigned failed_word;
    reply->acknowledged = !emio_failed(&failed_word);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

#define PRIORITY_TIMER 0x80

/* Masked: the timer wakes the core, its interrupt is not taken. It comes, for HELLO was answered:
 * the counter runs. */
static void sleep_until(uint64_t count) {
    gic_disable(IRQ_UART0); /* its trigger is still up from the request */
    gic_configure(IRQ_SECURE_TIMER, PRIORITY_TIMER, 0, GIC_LEVEL);
    gic_enable(IRQ_SECURE_TIMER);
    timer_start(count);
    while (!timer_is_due())
        wait_for_interrupt();
    timer_stop();
    gic_disable(IRQ_SECURE_TIMER);
    gic_enable(IRQ_UART0);
}

void checks_clocks(uint32_t counts, irq_clocks_reply_t *reply) {
    reply->first_before = timer_now();
    reply->first_tick = emio_now();
    reply->first_after = timer_now();
    sleep_until(reply->first_before + counts);
    reply->last_before = timer_now();
    reply->last_tick = emio_now();
    reply->last_after = timer_now();
}

/* ---- inputs of the interrupt controller ------------------------------------------------------ */

/* From arming to the lines' common start, as for a batch. */
#define MARGIN_TICKS 25000
#define LIMIT_COUNTS (SYSTEM_COUNTER_HZ / 100) /* 10 ms */
/* Looks behind the end: what the end itself raises is on its way. */
#define LAST_LOOKS 16

/* Each core writes its own. */
struct seen {
    uint16_t spi_high, spi_low;
    bool ppi_at_rest, ppi_high, ppi_low;
    bool ppisr_at_rest, ppisr_changed;
} __attribute__((aligned(64)));

static volatile struct seen seen[CORES];

/* Both groups of the PL's outputs, counted as the gateware does; they stand in two registers. */
static uint16_t spi_levels(void) {
    enum { BASE = IRQ_PL_FIRST_LOW / 32 * 32 };
    uint64_t levels = (uint64_t)GICD->spisr[BASE / 32] << 32 | GICD->spisr[BASE / 32 - 1];
    return (uint16_t)((levels >> (IRQ_PL_FIRST_LOW - BASE) & 0xFF) |
                      (levels >> (IRQ_PL_FIRST_HIGH - BASE) & 0xFF) << 8);
}

static bool ppisr(void) { return (GICD->ppisr & GICD_PPISR_LEGACY) != 0; }

static void begin_to_look(volatile struct seen *here) {
    here->spi_high = here->spi_low = 0;
    here->ppi_high = here->ppi_low = false;
    here->ppisr_changed = false;
    /* What software made pending would look like a level. */
    gic_clear_pending(IRQ_LEGACY_PPI);
    here->ppi_at_rest = gic_is_pending(IRQ_LEGACY_PPI);
    here->ppisr_at_rest = ppisr();
}

static void look_at_ppi(volatile struct seen *here) {
    if (gic_is_pending(IRQ_LEGACY_PPI))
        here->ppi_high = true;
    else
        here->ppi_low = true;
    if (ppisr() != here->ppisr_at_rest)
        here->ppisr_changed = true;
}

static void look(volatile struct seen *here) {
    uint16_t levels = spi_levels();
    here->spi_high = here->spi_high | levels;
    here->spi_low = here->spi_low | (uint16_t)~levels;
    look_at_ppi(here);
}

/* Work of a parked core; core 0's own look, which is bounded, ends it. */
static void look_until_stopped(uintptr_t unused) {
    (void)unused;
    volatile struct seen *here = &seen[cpu_number()];
    begin_to_look(here);
    parking_ready();
    while ((GICC->hppir & GIC_ID_MASK) != PARKING_STOP)
        look_at_ppi(here);
}

static bool look_until_finished(volatile struct seen *here) {
    uint64_t give_up = timer_now() + LIMIT_COUNTS;
    bool finished;
    do {
        finished = (emio_pins() & EMIO__BANK3_IN__FINISHED_bm) != 0;
        look(here);
    } while (!finished && timer_now() < give_up);
    for (unsigned i = 0; i < LAST_LOOKS; i++)
        look(here);
    return finished;
}

void checks_watch(const irq_watch_request_t *request, irq_watch_reply_t *reply) {
    unsigned cores = request->cores & parking_cores();
    volatile struct seen *here = &seen[0];
    gateware_disarm();
    *reply = (irq_watch_reply_t){.spi_at_rest = spi_levels()};
    begin_to_look(here);
    for (unsigned core = 1; core < CORES; core++)
        if (cores >> core & 1) {
            parking_give(core, look_until_stopped, 0);
            parking_wait_ready(core);
        }
    emio_write(EMIO_WORD(capture), request->loopback ? IRQSCOPE__CAPTURE__LOOPBACK_bm : 0);
    emio_write(EMIO_WORD(finished_route), request->finished_spi);
    uint64_t start_tick;
    if (gateware_arm(MARGIN_TICKS, 0, &start_tick))
        reply->finished = look_until_finished(here);
    gateware_disarm();
    parking_stop();
    emio_write(EMIO_WORD(capture), 0);
    emio_write(EMIO_WORD(finished_route), 0);
    reply->errors = emio_read(EMIO_WORD(errors));
    reply->spi_high = here->spi_high;
    reply->spi_low = here->spi_low;
    for (unsigned core = 0; core < CORES; core++)
        if (core == 0 || (cores >> core & 1) != 0) {
            reply->ppi_at_rest |= (uint8_t)(seen[core].ppi_at_rest << core);
            reply->ppi_high |= (uint8_t)(seen[core].ppi_high << core);
            reply->ppi_low |= (uint8_t)(seen[core].ppi_low << core);
            reply->ppisr_at_rest |= (uint8_t)(seen[core].ppisr_at_rest << core);
            reply->ppisr_changed |= (uint8_t)(seen[core].ppisr_changed << core);
        }
}

/* ---- markers --------------------------------------------------------------------------------- */

#define CODES (IRQSCOPE_MARKER_PROBE_SECOND + 1u)
#define SENT (2 * CODES)

/* Work of a parked core, and of core 0. There and back: the toggle is another on the way back. */
static void send_all(uintptr_t unused) {
    (void)unused;
    for (unsigned i = 0; i < SENT; i++) {
        marker_set_first((enum irqscope_marker)(i < CODES ? i : SENT - 1 - i));
        marker_send_first();
        (void)gpio_read(GPIO_DATA_3); /* it has left before the next one does */
    }
}

uint16_t checks_send(unsigned core) {
    unsigned failed_word;
    uint64_t start_tick;
    if ((parking_cores() >> core & 1) == 0 || !gateware_arm(MARGIN_TICKS, 0, &start_tick))
        return 0;
    while (emio_now() < start_tick && !emio_failed(&failed_word)) { /* as for a batch (case.c) */
    }
    if (core == 0) {
        send_all(0);
    } else {
        parking_give(core, send_all, 0);
        parking_wait(core);
    }
    (void)emio_now(); /* the last one is in the gateware */
    gateware_disarm();
    return SENT;
}
