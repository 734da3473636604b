// The constants of timing model `a9`. Meaning, source and range of each: twin/profiles/a9.toml.
// Times are in units, all others counts.
#pragma once

#include "core/constants.h"
#include "core/units.h"

#include <cstdint>

namespace twin::a9 {

// The board's facts about its cores.
struct Place {
    Time cycle;
    std::uint64_t ocm_base; // where the on-chip memory begins; below it, DDR
};

struct Parameters {
    Place place;

    // Pipeline and branches.
    Time width;  // instructions issued in a cycle
    Time window; // instructions that may be under way
    Time load, address, multiply, shifted;
    Time status, coprocessor; // MRS, MSR, CPS; MRC, MCR
    Time mispredict, exception_return;
    Time target_entries, history_entries, history_length;

    // Caches: KB and ways.
    Time l1_size, l1_ways, l2_size, l2_ways;
    Time l1i_fill;   // instruction line from L2, above a hit
    Time l2_load;    // load to use
    Time data_fills; // of a core under way

    // Memories: load to use; an instruction line above a hit.
    Time ddr_load, ddr_line, ddr_uncached;
    Time ocm_load, ocm_line, ocm_uncached;
    Time ddr_refresh_period, ddr_refresh;
    Time ddr_excursion, ddr_excursion_every; // an access in so many takes that much longer; 0: none
    Time fetch_bytes;                        // of an instruction fetch past the caches
    Time fetch_wasted;                       // 1: a mispredicted path also makes one

    // Translation.
    Time micro_entries, main_sets, main_ways, locked_entries;
    Time micro_miss, main_miss;

    // Stores.
    Time store_entries;

    // Maintenance and barriers.
    Time set_way, by_address, all_instructions, all_translations;
    Time dsb, isb;

    // Takes its constants out of `constants`; a missing or impossible one is refused.
    static Parameters from(Constants &constants, const Place &place);
};

} // namespace twin::a9
