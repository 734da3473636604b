/* An interrupt controller by Arm's GIC architecture (IHI 0048B), secure view, everything in group 0
 * and taken as IRQ: a GIC-400 (GIC_VERSION 2), or the PL390 of a Cortex-A9 cluster (1), which has
 * no registers for the pending state of software's interrupts and lets active state only be read.
 * Set and clear registers are written, never or-ed: a 1 acts, a 0 does nothing. */
#ifndef IRQCHIP_GIC_GIC_H
#define IRQCHIP_GIC_GIC_H

#include <stdbool.h>
#include <stdint.h>

#include "bound/addresses.h"
#include "bound/cpu.h"
#include "description.h"

#define IRQ_IDS MACHINE_IDS /* SGI 0-15, PPI 16-31, SPIs from 32 on */
#define IRQ_FIRST_PRIVATE 16
#define IRQ_FIRST_USED_PRIVATE 25 /* 16 to 24 are not there */
#define IRQ_FIRST_SHARED 32
#define IRQ_FIRST_SPECIAL 1020 /* 1020-1023 name no interrupt; 1023: none was pending */
#define IRQ_ID_MASK 0x3FF

/* 32 levels: the lower three bits read as zero, of PMR too. A smaller number is more urgent; only
 * what is more urgent than PMR is signalled, so the lowest priority never is. */
#define IRQ_PRIORITY_NEVER 0xF8
#define GIC_PMR_ALL 0xF8
#define GIC_RPR_IDLE 0xFF

/* The step from one priority to the next. LAST, the least urgent one, is for ends of batches and
 * of work; LOW is a step before it, for background interrupts; MIDDLE is for checks. */
#define IRQ_PRIORITY_STEP 8
#define IRQ_PRIORITY_LAST 0xF0
#define IRQ_PRIORITY_LOW 0xE8
#define IRQ_PRIORITY_MIDDLE 0x80

enum irq_sense { IRQ_BY_LEVEL = 0, IRQ_BY_EDGE = 1 };

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
    uint32_t ppisr;           /* 0xD00: inputs of this core's PPIs, GIC-400 and PL390 */
    uint32_t spisr[63];       /* 0xD04-0xDFC: levels of the SPIs, the same */
    uint32_t reserved1[64];   /* 0xE00-0xEFC */
    uint32_t sgir;            /* 0xF00 */
    uint32_t reserved2[3];    /* 0xF04-0xF0C */
    uint8_t cpendsgir[16];    /* 0xF10-0xF1C: bit n of a byte: pending from core n; version 2 */
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
void irq_end_running(void);

/* Does the same; then everything is disabled, not pending, not active, in group 0, by level,
 * never signalled and sent to core 0, and the distributor is on. Called by core 0. */
void irq_init_distributor(void);

/* Sets up this core's banked registers (SGI and PPI) and its CPU interface: all priorities but
 * the lowest are let through. */
void irq_init_core(void);

/* Whether this core is signalled anything at all. Version 1: off for all cores. */
void irq_signal(bool on);

/* Sets priority, target (SPI only) and trigger (SPI only: PPI are level, SGI are edge). The
 * interrupt must be disabled. */
void irq_configure(unsigned id, uint8_t priority, uint8_t targets, enum irq_sense trigger);

void irq_enable(unsigned id);
void irq_disable(unsigned id);
void irq_set_pending(unsigned id);

/* Takes back a pending interrupt: an edge, what software set, an SGI from any core. */
void irq_clear_pending(unsigned id);

/* State of the distributor. */
bool irq_is_enabled(unsigned id);
bool irq_is_pending(unsigned id);
bool irq_is_active(unsigned id);
unsigned irq_group(unsigned id);
enum irq_sense irq_trigger(unsigned id);

/* Sends the software-generated interrupt `id` (0-15) to the cores of a mask. */
void irq_send(unsigned id, uint8_t cores);

static inline uint32_t irq_bit(unsigned id) { return UINT32_C(1) << (id % 32); }

/* Takes back what a private interrupt has left pending, without a call. */
static inline void irq_clear_private_pending(unsigned id) { GICD->icpendr[0] = irq_bit(id); }

/* Takes the most urgent pending interrupt, and ends it, as the vector path does without a call. */
static inline uint32_t irq_acknowledge(void) { return GICC->iar; }
static inline void irq_end(uint32_t acknowledged) { GICC->eoir = acknowledged; }

/* Disables an interrupt, without a call. */
static inline void irq_disable_here(unsigned id) {
    GICD->icenabler[id / 32] = irq_bit(id);
    dsb();
}

/* The ID that would be acknowledged now; reading it takes nothing. */
static inline unsigned irq_highest(void) { return GICC->hppir & IRQ_ID_MASK; }

/* Whether this core has ended all that it acknowledged. */
static inline bool irq_is_idle(void) { return GICC->rpr == GIC_RPR_IDLE; }

static inline uint8_t irq_priority(uintptr_t id) { return GICD->ipriorityr[id]; }
static inline uint8_t irq_targets(uintptr_t id) { return GICD->itargetsr[id]; }
static inline void irq_set_targets(unsigned id, uint8_t cores) { GICD->itargetsr[id] = cores; }

/* Pointers to registers, for code that must not call: the pending state of an ID, which a store
 * of irq_bit sets, and the register that sends an SGI by a store of IRQ_SEND_WORD. */
static inline volatile uint32_t *irq_pending_register(unsigned id) {
    return &GICD->ispendr[id / 32];
}
static inline volatile uint32_t *irq_send_register(void) { return &GICD->sgir; }
#define IRQ_SEND_WORD(type, id, core) ((type)1 << (16 + (core)) | (id))

/* Makes IDs 32 * word and on pending, by a mask. */
static inline void irq_raise(unsigned word, uint32_t mask) { GICD->ispendr[word] = mask; }

/* Lets interrupts more urgent than `priority` be signalled to this core, or all again. */
static inline void irq_let(uint8_t priority) { GICC->pmr = priority; }
static inline void irq_let_all(void) { GICC->pmr = GIC_PMR_ALL; }

/* The level at the input of a shared interrupt. */
static inline bool irq_is_high(unsigned id) { return GICD->spisr[id / 32 - 1] >> (id % 32) & 1; }

#endif
