#include "irqchip/gic/gic.h"

/* GICC_CTLR: group 0 enabled and, with FIQEn 0, signalled as IRQ. The bypass of both groups is
 * disabled, or the legacy lines would drive nIRQ and nFIQ themselves whenever a group is off;
 * version 1 has no bits for that, so there the interface stays on. */
#define GICC_CTLR_ENABLE_GROUP0 0x001
#define GICC_CTLR_NO_BYPASS 0x1E0

static uint32_t bit(unsigned id) { return UINT32_C(1) << (id % 32); }

/* Ends the interrupt that gave this core its running priority; returns false without one. */
static bool end_running(void) {
    uint32_t priority = GICC->rpr;
    for (unsigned id = 0; id < IRQ_IDS; id++)
        if (irq_is_active(id) && GICD->ipriorityr[id] == priority) {
            GICC->eoir = id;
            return true;
        }
    return false;
}

void irq_end_running(void) {
    for (unsigned ended = 0; ended < IRQ_IDS && GICC->rpr != GIC_RPR_IDLE; ended++)
        if (!end_running())
            return;
}

void irq_init_distributor(void) {
    irq_end_running();
    GICD->ctlr = 0;
    for (unsigned id = IRQ_FIRST_SHARED; id < IRQ_IDS; id += 32) {
        GICD->icenabler[id / 32] = UINT32_MAX;
        GICD->icpendr[id / 32] = UINT32_MAX;
#if GIC_VERSION != 1
        GICD->icactiver[id / 32] = UINT32_MAX;
#endif
        GICD->igroupr[id / 32] = 0;
    }
    for (unsigned id = IRQ_FIRST_SHARED; id < IRQ_IDS; id += 16)
        GICD->icfgr[id / 16] = 0;
    for (unsigned id = IRQ_FIRST_SHARED; id < IRQ_IDS; id++) {
        GICD->ipriorityr[id] = IRQ_PRIORITY_NEVER;
        GICD->itargetsr[id] = 1;
    }
    GICD->ctlr = 1;
}

void irq_init_core(void) {
    GICD->icenabler[0] = UINT32_MAX;
    GICD->icpendr[0] = UINT32_MAX;
#if GIC_VERSION != 1
    GICD->icactiver[0] = UINT32_MAX;
#endif
    GICD->igroupr[0] = 0;
    for (unsigned id = 0; id < IRQ_FIRST_SHARED; id++)
        GICD->ipriorityr[id] = IRQ_PRIORITY_NEVER;
#if GIC_VERSION == 1
    GICC->pmr = GIC_PMR_ALL; /* what is taken back has to be signalled */
    irq_signal(true);
#endif
    for (unsigned id = 0; id < IRQ_FIRST_PRIVATE; id++)
        irq_clear_pending(id);
    GICC->pmr = GIC_PMR_ALL;
    irq_signal(true);
}

void irq_signal(bool on) {
#if GIC_VERSION == 1
    GICD->ctlr = on;
    GICC->ctlr = GICC_CTLR_ENABLE_GROUP0;
#else
    GICC->ctlr = GICC_CTLR_NO_BYPASS | (on ? GICC_CTLR_ENABLE_GROUP0 : 0);
#endif
    dsb();
}

void irq_configure(unsigned id, uint8_t priority, uint8_t targets, enum irq_sense trigger) {
    GICD->ipriorityr[id] = priority;
    if (id >= IRQ_FIRST_SHARED) {
        GICD->itargetsr[id] = targets;
        unsigned shift = 2 * (id % 16) + 1; /* the upper bit of the pair: 1 = edge */
        uint32_t others = GICD->icfgr[id / 16] & ~(UINT32_C(1) << shift);
        GICD->icfgr[id / 16] = others | (uint32_t)trigger << shift;
    }
    dsb();
}

void irq_enable(unsigned id) {
    GICD->isenabler[id / 32] = bit(id);
    dsb();
}

void irq_disable(unsigned id) {
    GICD->icenabler[id / 32] = bit(id);
    dsb();
}

void irq_set_pending(unsigned id) {
    GICD->ispendr[id / 32] = bit(id);
    dsb();
}

#if GIC_VERSION == 1
/* It is acknowledged, once for each core that sent it, as the most urgent of all. If an interrupt
 * of the same priority comes before it, both stay pending. */
static void clear_pending_software(unsigned id) {
    uint8_t priority = GICD->ipriorityr[id];
    GICD->ipriorityr[id] = 0;
    dsb();
    for (unsigned sender = 0; sender < CORES; sender++)
        if (irq_highest() == id)
            GICC->eoir = GICC->iar;
    GICD->ipriorityr[id] = priority;
}
#else
static void clear_pending_software(unsigned id) { GICD->cpendsgir[id] = 0xFF; }
#endif

void irq_clear_pending(unsigned id) {
    if (id < IRQ_FIRST_PRIVATE)
        clear_pending_software(id); /* ICPENDR has no effect on these */
    else
        GICD->icpendr[id / 32] = bit(id);
    dsb();
}

bool irq_is_enabled(unsigned id) { return (GICD->isenabler[id / 32] & bit(id)) != 0; }
bool irq_is_pending(unsigned id) { return (GICD->ispendr[id / 32] & bit(id)) != 0; }
bool irq_is_active(unsigned id) { return (GICD->isactiver[id / 32] & bit(id)) != 0; }
unsigned irq_group(unsigned id) { return (GICD->igroupr[id / 32] & bit(id)) != 0; }

enum irq_sense irq_trigger(unsigned id) {
    return GICD->icfgr[id / 16] >> (2 * (id % 16) + 1) & 1 ? IRQ_BY_EDGE : IRQ_BY_LEVEL;
}

void irq_send(unsigned id, uint8_t cores) {
    dsb(); /* what the other core shall see is in memory first */
    GICD->sgir = (uint32_t)cores << 16 | id;
    dsb();
}
