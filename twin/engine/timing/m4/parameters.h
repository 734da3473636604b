// The constants of the model of a Cortex-M4 on an STM32F4: twin/profiles/m4.toml has their meaning
// and sources. All are cycles of the core or counts, but for times by their names.
#pragma once

#include "core/constants.h"

namespace twin::m4 {

struct Parameters {
    std::uint64_t load, load_next, store_after_load, load_after_store, address, store,
        store_indexed, multiple;
    std::uint64_t refill, refill_unaligned, divide, status, barrier_fetch;
    std::uint64_t floating_multiply_add, floating_divide;
    std::uint64_t entry, chain, leave, late, vector, handler, return_fetch, wake;
    std::uint64_t instruction_lines, data_lines;
    std::uint64_t bridge_read, bridge_read_ratio, bridge_write_halves;

    static Parameters from(Constants &constants);
};

} // namespace twin::m4
