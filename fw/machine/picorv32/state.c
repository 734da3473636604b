#include "machine/state.h"

#include "lib/registers.h"

void state_read(struct state *state) {
    *state = (struct state){.irq_mask = current_mask(), .vectors = vectors()};
}

uint64_t state_vectors(const struct state *state) { return state->vectors; }

size_t state_put(const struct state *state, irq_register_t *to) {
    const struct named_register found[] = {
        {"irq_mask", state->irq_mask},
        {"vectors", state->vectors},
    };
    return registers_put(found, sizeof found / sizeof found[0], to);
}
