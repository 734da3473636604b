#include "machine/zynqmp/stm.h"

#include "bound/addresses.h"
#include "machine/zynqmp/coresight.h"

#define STM_HEER (STM_BASE + 0xD00)
#define STM_HETER (STM_BASE + 0xD20)
#define STM_HEBSR (STM_BASE + 0xD60)
#define STM_HEMCR (STM_BASE + 0xD64)
#define STM_HEFEAT1R (STM_BASE + 0xDF8)
#define STM_SPER (STM_BASE + 0xE00)
#define STM_SPSCR (STM_BASE + 0xE60)
#define STM_TCSR (STM_BASE + 0xE80)
#define STM_SYNCR (STM_BASE + 0xE90)
#define STM_AUTHSTATUS (STM_BASE + 0xFB8)

#define TCSR_BUSY (1u << 23)
#define HEMCR_ENABLE (1u << 0)
#define HEMCR_ERRORS (1u << 2) /* an event during a held one is reported, not dropped */
/* Events 63 to 32. */
#define HEBSR_UPPER 1u
/* Synchronisation every so many bytes: twice a buffer, so that one that has wrapped is readable. */
#define SYNC_BYTES 0xFF8u

#define AUTHSTATUS_SNID(value) ((value) >> 6 & 3)
#define SNID_DISABLED 2

uint16_t stm_part(void) { return coresight_part(STM_BASE); }

uint32_t stm_auth_status(void) { return mmio_read32(STM_AUTHSTATUS); }

uint32_t stm_features(void) { return mmio_read32(STM_HEFEAT1R); }

bool stm_traces_secure(void) { return AUTHSTATUS_SNID(stm_auth_status()) != SNID_DISABLED; }

void stm_prepare(unsigned lines) {
    coresight_unlock(STM_BASE);
    (void)stm_disable();
    mmio_write32(STM_SPSCR, 0); /* the mask below applies to each group of 32 ports */
    mmio_write32(STM_SPER, UINT32_MAX);
    mmio_write32(STM_HEBSR, HEBSR_UPPER);
    mmio_write32(STM_HETER, 0);
    mmio_write32(STM_HEER, lines);
    mmio_write32(STM_HEMCR, HEMCR_ENABLE | HEMCR_ERRORS);
    mmio_write32(STM_SYNCR, SYNC_BYTES);
}

volatile uint32_t *stm_control(void) { return (volatile uint32_t *)STM_TCSR; }

bool stm_disable(void) {
    mmio_write32(STM_TCSR, STM_DISABLED);
    return coresight_wait(STM_TCSR, TCSR_BUSY, 0);
}
