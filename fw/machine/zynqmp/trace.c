#include "machine/trace.h"

#include "bound/addresses.h"
#include "lib/memory.h"
#include "lib/mmio.h"
#include "machine/port.h"
#include "machine/zynqmp/etf.h"
#include "machine/zynqmp/stm.h"
#include "machine/zynqmp/tsgen.h"

/* Clocks of the debug components and of what carries trace (UG1087, module CRF_APB). Divisors and
 * sources stay as psu_init left them; that of the timestamps has no gate. */
#define DBG_TRACE_CTRL (CRF_APB_BASE + 0x064)
#define DBG_FPD_CTRL (CRF_APB_BASE + 0x068)
#define DBG_TSTMP_CTRL (CRF_APB_BASE + 0x0F8)
#define CLOCK_ACTIVE (1u << 24)

static bool ready;
static uint32_t memory[ETF_MEMORY_WORDS];
static irq_trace_reply_t kept;

static uint32_t activate(uintptr_t clock) {
    mmio_write32(clock, mmio_read32(clock) | CLOCK_ACTIVE);
    return mmio_read32(clock);
}

/* A component whose clock stands still must not be touched: the access would never end. */
static enum irq_stm_state set_up(irq_stm_reply_t *reply) {
    reply->dbg_trace_ctrl = activate(DBG_TRACE_CTRL);
    reply->dbg_fpd_ctrl = activate(DBG_FPD_CTRL);
    reply->dbg_tstmp_ctrl = mmio_read32(DBG_TSTMP_CTRL);
    if ((reply->dbg_trace_ctrl & reply->dbg_fpd_ctrl & CLOCK_ACTIVE) == 0)
        return IRQ_STM_STATE_CLOCK_STOPPED;
    reply->stm_part = stm_part();
    if (reply->stm_part != STM_PART_500 && reply->stm_part != STM_PART_101)
        return IRQ_STM_STATE_NO_STM;
    reply->auth_status = stm_auth_status();
    reply->features = stm_features();
    reply->etf_part = etf_part();
    if (reply->etf_part != ETF_PART)
        return IRQ_STM_STATE_NO_ETF;
    reply->memory_words = etf_memory_words();
    if (!stm_traces_secure())
        return IRQ_STM_STATE_NOT_TRACED;
    tsgen_start();
    uint64_t before = tsgen_now();
    if (tsgen_now() == before)
        return IRQ_STM_STATE_NO_TIME;
    return reply->memory_words != 0 && etf_start() && etf_stop() ? IRQ_STM_STATE_READY
                                                                 : IRQ_STM_STATE_NO_MEMORY;
}

void trace_set_up(irq_stm_reply_t *reply) {
    *reply = (irq_stm_reply_t){0};
    reply->state = (uint8_t)set_up(reply);
    ready = reply->state == IRQ_STM_STATE_READY;
}

bool trace_is_ready(void) { return ready; }

void trace_prepare(unsigned lines) {
    kept = (irq_trace_reply_t){0};
    kept.stuck = !etf_start();
    stm_prepare(lines);
    kept.first_stamp = tsgen_now();
    kept.first_tick = port_now();
}

void trace_open(void) { stm_enable(); }

void trace_close(void) {
    bool wrapped;
    bool stopped = stm_disable();
    stopped &= etf_stop();
    kept.last_stamp = tsgen_now();
    kept.last_tick = port_now();
    kept.stuck |= !stopped;
    kept.total = (uint16_t)(etf_read(memory, &wrapped) * sizeof memory[0]);
    kept.wrapped = wrapped;
}

size_t trace_read(unsigned offset, irq_trace_reply_t *reply) {
    size_t length = 0, room = IRQ_MAX_PAYLOAD - sizeof *reply;
    *reply = kept;
    reply->offset = (uint16_t)offset;
    if (offset < kept.total)
        length = kept.total - offset < room ? kept.total - offset : room;
    memcpy(reply + 1, (const uint8_t *)memory + offset, length);
    return sizeof *reply + length;
}
