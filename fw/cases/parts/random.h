/* Random numbers of the loads: xorshift (Marsaglia 2003: 13, 7, 17), as the assembly has it. */
#ifndef CASES_PARTS_RANDOM_H
#define CASES_PARTS_RANDOM_H

#include <stdint.h>

/* The state of core `core` before stimulus `number`, whatever came before: the two are mixed by
 * the finaliser of SplitMix64 (Steele, Lea, Flood 2014). Never 0. */
static inline uint64_t random_state(uint32_t seed, unsigned core, uint64_t number) {
    uint64_t z = ((uint64_t)seed << 32 | core) + (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return z == 0 ? 1 : z;
}

/* A random number from 0 to `most`. */
static inline uint32_t random_up_to(uint64_t *state, uint32_t most) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)((*state >> 32) * ((uint64_t)most + 1) >> 32);
}

#endif
