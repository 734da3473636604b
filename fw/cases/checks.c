#include "cases/checks.h"

#include "cases/gateware.h"
#include "cases/parts/sleeping.h"
#include "machine/cores.h"
#include "machine/counter.h"
#include "machine/cpu.h"
#include "machine/irq.h"
#include "machine/marker.h"
#include "machine/port.h"
#include "machine/timer.h"

/* ---- clocks ---------------------------------------------------------------------------------- */

void checks_clocks(uint32_t counts, irq_clocks_reply_t *reply) {
    reply->first_before = timer_now();
    reply->first_tick = port_now();
    reply->first_after = timer_now();
    irq_disable(IRQ_LINK); /* the request that is being answered still asks for it */
    sleeping_until(reply->first_before + counts);
    irq_enable(IRQ_LINK);
    reply->last_before = timer_now();
    reply->last_tick = port_now();
    reply->last_after = timer_now();
}

/* ---- inputs of the interrupt controller ------------------------------------------------------ */

#define LIMIT_COUNTS (PORT_TIME_FACTOR * (SYSTEM_COUNTER_HZ / 100)) /* 10 ms on a bare core */
/* Also waits after the end, as interrupts raised by the end itself are still on their way. */
#define LAST_LOOKS 16

/* Each core writes its own. */
struct seen {
    uint16_t spi_high, spi_low;
    bool ppi_at_rest, ppi_high, ppi_low;
    bool ppisr_at_rest, ppisr_changed;
} __attribute__((aligned(64)));

static volatile struct seen seen[CORES];

static void begin_to_look(volatile struct seen *here) {
    here->spi_high = here->spi_low = 0;
    here->ppi_high = here->ppi_low = false;
    here->ppisr_changed = false;
    /* An interrupt made pending by software would look like a high level. */
    irq_clear_pending(IRQ_PRIVATE);
    here->ppi_at_rest = irq_is_pending(IRQ_PRIVATE);
    here->ppisr_at_rest = irq_private_raw();
}

static void look_at_ppi(volatile struct seen *here) {
    if (irq_is_pending(IRQ_PRIVATE))
        here->ppi_high = true;
    else
        here->ppi_low = true;
    if (irq_private_raw() != here->ppisr_at_rest)
        here->ppisr_changed = true;
}

static void look(volatile struct seen *here) {
    uint16_t levels = irq_shared_levels();
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
    while (irq_highest() != PARKING_STOP)
        look_at_ppi(here);
}

static bool look_until_finished(volatile struct seen *here) {
    uint64_t give_up = timer_now() + LIMIT_COUNTS;
    bool finished;
    do {
        finished = port_has_finished();
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
    *reply = (irq_watch_reply_t){.shared_at_rest = irq_shared_levels()};
    begin_to_look(here);
    for (unsigned core = 1; core < CORES; core++)
        if (cores >> core & 1) {
            parking_give(core, look_until_stopped, 0);
            parking_wait_ready(core);
        }
    port_write(PORT_WORD(capture), request->loopback ? IRQSCOPE__CAPTURE__LOOPBACK_bm : 0);
    port_write(PORT_WORD(finished_route), request->finished);
    uint64_t start_tick;
    if (gateware_arm(GATEWARE_MARGIN_TICKS, 0, &start_tick))
        reply->finished = look_until_finished(here);
    gateware_disarm();
    parking_stop();
    port_write(PORT_WORD(capture), 0);
    port_write(PORT_WORD(finished_route), 0);
    reply->errors = port_read(PORT_WORD(errors));
    reply->shared_high = here->spi_high;
    reply->shared_low = here->spi_low;
    for (unsigned core = 0; core < CORES; core++)
        if (core == 0 || (cores >> core & 1) != 0) {
            reply->private_at_rest |= (uint8_t)(seen[core].ppi_at_rest << core);
            reply->private_high |= (uint8_t)(seen[core].ppi_high << core);
            reply->private_low |= (uint8_t)(seen[core].ppi_low << core);
            reply->shown_at_rest |= (uint8_t)(seen[core].ppisr_at_rest << core);
            reply->shown_changed |= (uint8_t)(seen[core].ppisr_changed << core);
        }
}

/* ---- markers --------------------------------------------------------------------------------- */

#define CODES (IRQSCOPE_MARKER_PROBE_SECOND + 1u)
#define SENT (2 * CODES)

/* Work of a parked core and of core 0. It sends each marker there and back: the toggle is
 * another one on the way back. */
static void send_all(uintptr_t unused) {
    (void)unused;
    for (unsigned i = 0; i < SENT; i++) {
        marker_set_first((enum irqscope_marker)(i < CODES ? i : SENT - 1 - i));
        marker_send_first();
        marker_wait(); /* it has left before the next one does */
    }
}

uint16_t checks_send(unsigned core) {
    unsigned failed_word;
    uint64_t start_tick;
    if ((parking_cores() >> core & 1) == 0 || !gateware_arm(GATEWARE_MARGIN_TICKS, 0, &start_tick))
        return 0;
    while (port_now() < start_tick && !port_failed(&failed_word)) { /* as for a batch (case.c) */
    }
    if (core == 0) {
        send_all(0);
    } else {
        parking_give(core, send_all, 0);
        parking_wait(core);
    }
    (void)port_now(); /* the last one is in the gateware */
    gateware_disarm();
    return SENT;
}
