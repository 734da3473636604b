#include "machine/state.h"

#include "lib/registers.h"

void state_read(struct state *state) {
    *state = (struct state){
        .mstatus = READ_CSR(mstatus),
        .misa = READ_CSR(misa),
        .mtvec = READ_CSR(mtvec),
        .mie = READ_CSR(mie),
        .marchid = READ_CSR(marchid),
        .mimpid = READ_CSR(mimpid),
    };
}

uint64_t state_vectors(const struct state *state) { return state->mtvec & ~MTVEC_MODE; }

size_t state_put(const struct state *state, irq_register_t *to) {
    const struct named_register found[] = {
        {"mstatus", state->mstatus}, {"misa", state->misa},       {"mtvec", state->mtvec},
        {"mie", state->mie},         {"marchid", state->marchid}, {"mimpid", state->mimpid},
    };
    return registers_put(found, sizeof found / sizeof found[0], to);
}
