#include "machine/state.h"

#include "bound/irq.h"
#include "lib/mmio.h"
#include "lib/registers.h"

#define ID_PFR1_SECURITY (0xFu << 4)
#define L2C_CONTROL (L2C_BASE + 0x100)
#define L2C_AUX (L2C_BASE + 0x104)

/* Only with security extensions. */
static uint32_t secure_configuration(void) {
    return READ_CP15(0, c0, c1, 1) & ID_PFR1_SECURITY ? READ_CP15(0, c1, c1, 0) : 0;
}

void state_read(struct state *state) {
    *state = (struct state){
        .sctlr = READ_SCTLR(),
        .actlr = READ_ACTLR(),
        .mpidr = READ_CP15(0, c0, c0, 5),
        .vbar = (uint32_t)vectors(),
        .gicc_ctlr = GICC->ctlr,
        .gicc_pmr = GICC->pmr,
        .gicd_ppisr = GICD->ppisr,
    };
}

uint8_t state_caches(const struct state *state) {
    return (uint8_t)((state->sctlr & SCTLR_C ? IRQ_CACHES_DATA : 0) |
                     (state->sctlr & SCTLR_I ? IRQ_CACHES_INSTRUCTION : 0));
}

uint64_t state_vectors(const struct state *state) { return state->vbar; }

size_t state_put(const struct state *state, irq_register_t *to) {
    const struct named_register found[] = {
        {"sctlr", state->sctlr},        {"actlr", state->actlr},      {"mpidr", state->mpidr},
        {"icdppis", state->gicd_ppisr}, {"iccicr", state->gicc_ctlr}, {"iccpmr", state->gicc_pmr},
    };
    return registers_put(found, sizeof found / sizeof found[0], to);
}

size_t state_put_case(unsigned id, irq_register_t *to) {
    const struct named_register found[] = {
        {"sctlr", READ_SCTLR()},
        {"actlr", READ_ACTLR()},
        {"scr", secure_configuration()},
        {"ttbr0", READ_TTBR0()},
        {"l2c_control", mmio_read32(L2C_CONTROL)},
        {"l2c_aux", mmio_read32(L2C_AUX)},
        {"icddcr", GICD->ctlr},
        {"icdisr", irq_group(id)},
        {"icdppis", GICD->ppisr},
        {"iccicr", GICC->ctlr},
        {"iccpmr", GICC->pmr},
    };
    return registers_put(found, sizeof found / sizeof found[0], to);
}
