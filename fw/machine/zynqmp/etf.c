#include "machine/zynqmp/etf.h"

#include "bound/addresses.h"
#include "machine/zynqmp/coresight.h"

/* Funnel: Ctrl_Reg. Nothing else traces, so that all inputs may be open. */
#define FUNNEL_CTRL (FUNNEL_2_BASE + 0x000)
#define FUNNEL_ALL_INPUTS 0xFu
#define FUNNEL_HOLD_TIME (3u << 8) /* as after reset */

#define ETF_RSZ (ETF_2_BASE + 0x004)
#define ETF_STS (ETF_2_BASE + 0x00C)
#define ETF_RRD (ETF_2_BASE + 0x010)
#define ETF_CTL (ETF_2_BASE + 0x020)
#define ETF_MODE (ETF_2_BASE + 0x028)
#define ETF_FFCR (ETF_2_BASE + 0x304)

#define STS_FULL (1u << 0)
#define STS_READY (1u << 2)
#define CTL_CAPTURE 1u
#define MODE_CIRCULAR 0u
#define FFCR_FORMAT (1u << 0) /* frames of 16 bytes, which name the source of each byte */
#define FFCR_FLUSH (1u << 6)
#define FFCR_STOP_ON_FLUSH (1u << 12)
/* RRD reads as this when the buffer is empty; no frame contains it. */
#define RRD_EMPTY UINT32_MAX

uint16_t etf_part(void) { return coresight_part(ETF_2_BASE); }

uint32_t etf_memory_words(void) { return mmio_read32(ETF_RSZ); }

bool etf_start(void) {
    coresight_unlock(FUNNEL_2_BASE);
    mmio_write32(FUNNEL_CTRL, FUNNEL_HOLD_TIME | FUNNEL_ALL_INPUTS);
    coresight_unlock(ETF_2_BASE);
    mmio_write32(ETF_CTL, 0);
    if (!coresight_wait(ETF_STS, STS_READY, STS_READY))
        return false;
    mmio_write32(ETF_MODE, MODE_CIRCULAR);
    mmio_write32(ETF_FFCR, FFCR_FORMAT);
    mmio_write32(ETF_CTL, CTL_CAPTURE);
    return true;
}

bool etf_stop(void) {
    mmio_write32(ETF_FFCR, FFCR_FORMAT | FFCR_STOP_ON_FLUSH);
    mmio_write32(ETF_FFCR, FFCR_FORMAT | FFCR_STOP_ON_FLUSH | FFCR_FLUSH);
    return coresight_wait(ETF_FFCR, FFCR_FLUSH, 0) && coresight_wait(ETF_STS, STS_READY, STS_READY);
}

uint32_t etf_read(uint32_t *words, bool *wrapped) {
    uint32_t count = 0;
    *wrapped = (mmio_read32(ETF_STS) & STS_FULL) != 0;
    while (count < ETF_MEMORY_WORDS && (words[count] = mmio_read32(ETF_RRD)) != RRD_EMPTY)
        count++;
    mmio_write32(ETF_CTL, 0);
    return count;
}
