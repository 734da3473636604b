#include "machine/state.h"

#include "bound/irq.h"
#include "lib/registers.h"

void state_read(struct state *state) {
    *state = (struct state){
        .sctlr = (uint32_t)READ_SYSREG(sctlr_el3),
        .gicc_ctlr = GICC->ctlr,
        .gicc_pmr = GICC->pmr,
        .gicd_ppisr = GICD->ppisr,
        .mpidr = READ_SYSREG(mpidr_el1),
        .cpuactlr = READ_CPUACTLR(),
        .cpuectlr = READ_CPUECTLR(),
        .vbar = READ_SYSREG(vbar_el3),
    };
}

uint8_t state_caches(const struct state *state) {
    return (uint8_t)((state->sctlr & SCTLR_C ? IRQ_CACHES_DATA : 0) |
                     (state->sctlr & SCTLR_I ? IRQ_CACHES_INSTRUCTION : 0));
}

uint64_t state_vectors(const struct state *state) { return state->vbar; }

size_t state_put(const struct state *state, irq_register_t *to) {
    const struct named_register found[] = {
        {"sctlr_el3", state->sctlr},       {"cpuactlr_el1", state->cpuactlr},
        {"cpuectlr_el1", state->cpuectlr}, {"mpidr_el1", state->mpidr},
        {"gicd_ppisr", state->gicd_ppisr}, {"gicc_ctlr", state->gicc_ctlr},
        {"gicc_pmr", state->gicc_pmr},
    };
    return registers_put(found, sizeof found / sizeof found[0], to);
}

size_t state_put_case(unsigned id, irq_register_t *to) {
    const struct named_register found[] = {
        {"sctlr_el3", READ_SYSREG(sctlr_el3)},
        {"scr_el3", READ_SYSREG(scr_el3)},
        {"ttbr0_el3", READ_SYSREG(ttbr0_el3)},
        {"tcr_el3", READ_SYSREG(tcr_el3)},
        {"cpuactlr_el1", READ_CPUACTLR()},
        {"cpuectlr_el1", READ_CPUECTLR()},
        {"gicd_ctlr", GICD->ctlr},
        {"gicd_group", irq_group(id)},
        {"gicd_ppisr", GICD->ppisr},
        {"gicc_ctlr", GICC->ctlr},
        {"gicc_pmr", GICC->pmr},
    };
    return registers_put(found, sizeof found / sizeof found[0], to);
}
