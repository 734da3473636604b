/* GIC-400 of the APU (Arm IHI 0048B), secure view, everything in group 0, taken as IRQ at EL3.
 * Set and clear registers are written, never or-ed: a 1 acts, a 0 does nothing. */
#ifndef SOC_GIC_H
#define SOC_GIC_H

#include <stdbool.h>
#include <stdint.h>

#include "soc/addresses.h"

#define GIC_IDS 192 /* SGI 0-15, PPI 16-31, 160 SPIs from 32 on */
#define GIC_FIRST_PPI 16
#define GIC_FIRST_USED_PPI 25 /* 16 to 24 are not there */
#define GIC_FIRST_SPI 32
#define GIC_FIRST_SPECIAL 1020 /* 1020-1023 name no interrupt; 1023: none was pending */
#define GIC_ID_MASK 0x3FF

#define IRQ_UART0 53
#define IRQ_LEGACY_PPI 31     /* pl_ps_apugic_irq[n] on core n; level only */
#define IRQ_SECURE_TIMER 29   /* CNTPS; level only */
#define IRQ_PL_FIRST_LOW 121  /* pl_ps_irq0[7:0] = 121..128 */
#define IRQ_PL_FIRST_HIGH 136 /* pl_ps_irq1[7:0] = 136..143 */
#define IRQ_FINISHED 143      /* pl_ps_irq1[7]: the gateware has finished */

/* Of PPI 31. What it shows is open: the TRMs of the Cortex-A15 (8.3.2, GICD_PPISR) and Cortex-A9
 * (table 3-6) call it the actual state of a signal that is active low, that of the GIC-500 says 1
 * for an input that is high. So nothing is decided by it; it is shown beside the pending bit. */
#define GICD_PPISR_LEGACY (1u << 15)

/* 32 levels: the lower three bits read as zero, of PMR too. A smaller number is more urgent; only
 * what is more urgent than PMR is signalled, so the lowest priority never is. */
#define GIC_PRIORITY_NEVER 0xF8
#define GIC_PMR_ALL 0xF8
#define GIC_RPR_IDLE 0xFF

enum gic_trigger { GIC_LEVEL = 0, GIC_RISING_EDGE = 1 };

struct gicd {
    uint32_t ctlr;            /* 0x000 */
    uint32_t typer;           /* 0x004 */
    uint32_t iidr;            /* 0x008 */
    uint32_t reserved0[29];   /* 0x00C-0x07C */
    uint32_t igroupr[32];     /* 0x080-0x0FC */
    uint32_t isenabler[32];   /* 0x100-0x17C */
    uint32_t icenabler[32];   /* 0x180-0x1FC */
    uint32_t ispendr[32];     /* 0x200-0x27C */
    uint32_t icpendr[32];     /* 0x280-0x2FC */
    uint32_t isactiver[32];   /* 0x300-0x37C */
    uint32_t icactiver[32];   /* 0x380-0x3FC */
    uint8_t ipriorityr[1024]; /* 0x400-0x7FC */
    uint8_t itargetsr[1024];  /* 0x800-0xBFC */
    uint32_t icfgr[64];       /* 0xC00-0xCFC */
    uint32_t ppisr;           /* 0xD00: inputs of this core's PPIs, GIC-400 only */
    uint32_t spisr[63];       /* 0xD04-0xDFC: levels of the SPIs, GIC-400 only */
    uint32_t reserved1[64];   /* 0xE00-0xEFC */
    uint32_t sgir;            /* 0xF00 */
    uint32_t reserved2[3];    /* 0xF04-0xF0C */
    uint8_t cpendsgir[16];    /* 0xF10-0xF1C: bit n of a byte: pending from core n */
};

struct gicc {
    uint32_t ctlr;  /* 0x00 */
    uint32_t pmr;   /* 0x04 */
    uint32_t bpr;   /* 0x08 */
    uint32_t iar;   /* 0x0C */
    uint32_t eoir;  /* 0x10 */
    uint32_t rpr;   /* 0x14 */
    uint32_t hppir; /* 0x18 */
};

_Static_assert(__builtin_offsetof(struct gicd, ipriorityr) == 0x400, "GICD");
_Static_assert(__builtin_offsetof(struct gicd, ppisr) == 0xD00, "GICD");
_Static_assert(__builtin_offsetof(struct gicd, sgir) == GICD_SGIR, "GICD");
_Static_assert(__builtin_offsetof(struct gicd, cpendsgir) == 0xF10, "GICD");
_Static_assert(__builtin_offsetof(struct gicc, iar) == GICC_IAR, "GICC");

#define GICD ((volatile struct gicd *)GICD_BASE)
#define GICC ((volatile struct gicc *)GICC_BASE)

/* Ends what this core acknowledged and never ended: an interrupt whose handler faulted would hold
 * back its priority and all below for ever. */
void gic_end_running(void);

/* The same, then everything disabled, not pending, not active, group 0, level, never signalled, to
 * core 0; distributor on. By core 0. */
void gic_init_distributor(void);

/* This core's banked registers (SGI and PPI) and its CPU interface: all priorities but the lowest
 * are let through. */
void gic_init_core(void);

/* Whether this core's CPU interface signals anything at all. */
void gic_signal(bool on);

/* Sets priority, target (SPI only) and trigger (SPI only: PPI are level, SGI are edge). The
 * interrupt must be disabled. */
void gic_configure(unsigned id, uint8_t priority, uint8_t targets, enum gic_trigger trigger);

void gic_enable(unsigned id);
void gic_disable(unsigned id);
void gic_set_pending(unsigned id);

/* Takes back what is pending: an edge, what software set, an SGI from any core. */
void gic_clear_pending(unsigned id);

/* Read back from the distributor. */
bool gic_is_enabled(unsigned id);
bool gic_is_pending(unsigned id);
bool gic_is_active(unsigned id);
unsigned gic_group(unsigned id);
enum gic_trigger gic_trigger(unsigned id);

/* Software-generated interrupt `id` (0-15) to the cores of a mask. */
void gic_send_sgi(unsigned id, uint8_t cores);

#endif
