// The constants of timing model `a53`. Meaning, source and range of each: twin/profiles/a53.toml.
// Those in CPU cycles are counts of cycles, so that they follow a divided clock.
#pragma once

#include "core/constants.h"
#include "core/units.h"

#include <cstdint>

namespace twin::a53 {

// The board's facts about its cores.
struct Place {
    Time cycle;             // of the nominal clock
    std::uint64_t ocm_base; // where the on-chip memory begins; below it, DDR
};

struct Parameters {
    Place place;

    // Pipeline and branches, cycles.
    Time divide_w, divide_x;
    Time system_register;
    Time mispredict, taken_bubble, eret;
    Time history_entries, history_length; // counts

    // Caches: KB and ways; cycles.
    Time l1i_size, l1i_ways, l1d_size, l1d_ways, l2_size, l2_ways;
    Time l1i_fill;       // instruction line from L2
    Time l1i_hidden;     // percent of a fill that a straight run hides
    Time l2_load;        // load to use
    Time l2_occupancy;   // one access to the next
    Time fills;          // data fills of a core under way, count
    Time uncached_loads; // count
    Time prefetch_depth, prefetch_streams, prefetch_trigger; // counts
    Time write_queue;                                        // lines of the cluster, count

    // Memories.
    Time ddr_load, ddr_rest, ddr_uncached;
    Time port_bandwidth, ddr_bandwidth; // MB/s
    Time ddr_refresh_period, ddr_refresh;
    Time ddr_banks; // count
    Time ddr_row;   // KB
    Time ddr_row_open, ddr_row_cycle, ddr_turnaround;
    Time ocm_load, ocm_line;

    // Instruction fetch past the caches.
    Time fetch_bytes;
    Time fetch_overlap; // percent
    Time fetch_holds;   // of non-cacheable pages in L1I; 0 or 1

    // Translation.
    Time micro_entries, main_entries, main_ways, walk_entries, walk_ways; // counts
    Time micro_miss, walk_overhead;                                       // cycles

    // Stores.
    Time store_entries;                       // count
    Time store_uncached;                      // drain of 16 bytes
    Time streaming_lines, streaming_l2_lines; // counts

    // Maintenance and barriers, cycles.
    Time l1_set_way, l2_set_way, by_address;
    Time ic_all, tlbi_local, tlbi_shared;
    Time dsb, isb;

    // Takes its constants out of `constants`; a missing or impossible one is refused.
    static Parameters from(Constants &constants, const Place &place);
};

} // namespace twin::a53
