/* Random numbers of the loads: xorshift (Marsaglia 2003: 13, 7, 17), as the assembly has it. */
#ifndef CASES_PARTS_RANDOM_H
#define CASES_PARTS_RANDOM_H

#include <stdint.h>

/* A state that is never 0; each core goes its own way. */
static inline uint64_t random_seed(uint32_t seed, unsigned core) {
    return (uint64_t)(core + 1) << 32 | seed;
}

/* From 0 to `most`. */
static inline uint32_t random_up_to(uint64_t *state, uint32_t most) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)((*state >> 32) * ((uint64_t)most + 1) >> 32);
}

#endif
