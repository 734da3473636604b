#include "machine/trace.h"

#include "bound/addresses.h"
#include "lib/memory.h"
#include "lib/mmio.h"
#include "lib/registers.h"
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

/* The registers as they read; 0 where the state forbids to look. */
struct found {
    uint32_t trace_ctrl, fpd_ctrl, tstmp_ctrl, auth_status, features, memory_words;
    unsigned stm, etf;
};

/* A component whose clock is still must not be touched: the access would never end. */
static enum irq_stm_state set_up(struct found *found) {
    found->trace_ctrl = activate(DBG_TRACE_CTRL);
    found->fpd_ctrl = activate(DBG_FPD_CTRL);
    found->tstmp_ctrl = mmio_read32(DBG_TSTMP_CTRL);
    if ((found->trace_ctrl & found->fpd_ctrl & CLOCK_ACTIVE) == 0)
        return IRQ_STM_STATE_CLOCK_STOPPED;
    found->stm = stm_part();
    if (found->stm != STM_PART_500 && found->stm != STM_PART_101)
        return IRQ_STM_STATE_NO_STM;
    found->auth_status = stm_auth_status();
    found->features = stm_features();
    found->etf = etf_part();
    if (found->etf != ETF_PART)
        return IRQ_STM_STATE_NO_ETF;
    found->memory_words = etf_memory_words();
    if (!stm_traces_secure())
        return IRQ_STM_STATE_NOT_TRACED;
    tsgen_start();
    uint64_t before = tsgen_now();
    if (tsgen_now() == before)
        return IRQ_STM_STATE_NO_TIME;
    return found->memory_words != 0 && etf_start() && etf_stop() ? IRQ_STM_STATE_READY
                                                                 : IRQ_STM_STATE_NO_MEMORY;
}

size_t trace_set_up(irq_stm_reply_t *reply) {
    struct found found = {0};
    enum irq_stm_state state = set_up(&found);
    const struct named_register registers[] = {
        {"dbg_fpd_ctrl", found.fpd_ctrl},
        {"dbg_trace_ctrl", found.trace_ctrl},
        {"dbg_tstmp_ctrl", found.tstmp_ctrl},
        {"stm_part", found.stm},
        {"etf_part", found.etf},
        {"auth_status", found.auth_status},
        {"features", found.features},
    };
    *reply = (irq_stm_reply_t){(uint8_t)state, found.memory_words};
    ready = state == IRQ_STM_STATE_READY;
    return sizeof *reply + registers_put(registers, sizeof registers / sizeof registers[0],
                                         (irq_register_t *)(reply + 1));
}

bool trace_is_ready(void) { return ready; }

void trace_prepare(unsigned lines) {
    kept = (irq_trace_reply_t){0};
    kept.stuck = !etf_start();
    stm_prepare(lines);
    kept.first_stamp = tsgen_now();
    kept.first_tick = port_now();
}

struct trace_opening trace_opening(void) {
    return (struct trace_opening){stm_control(), STM_ENABLED};
}

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
