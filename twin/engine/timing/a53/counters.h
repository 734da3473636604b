// What one core's model has counted since power-up: how a test tells that a case did what it says.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <ostream>

namespace twin::a53 {

struct Counters {
    // Lookups of lines, by the core.
    std::uint64_t l1i_hits = 0, l1i_misses = 0;
    std::uint64_t l1d_hits = 0, l1d_misses = 0;
    std::uint64_t l2_hits = 0, l2_misses = 0; // on behalf of this core
    std::uint64_t snoop_hits = 0;             // lines that came from another core's L1
    std::uint64_t l1d_writebacks = 0;

    // Reads of memory, whatever asked for them; lines written.
    std::uint64_t ddr_reads = 0, ocm_reads = 0, ddr_writes = 0, ocm_writes = 0;
    std::uint64_t uncached_fetches = 0, uncached_loads = 0, uncached_stores = 0;
    std::uint64_t prefetches = 0, streamed_lines = 0;

    std::uint64_t micro_tlb_misses = 0, tlb_walks = 0, walk_reads = 0;
    std::uint64_t branches = 0, mispredicts = 0;
    std::uint64_t set_way = 0, maintenance = 0; // DC by set and way; all other DC, IC, TLBI

    // Time lost, by its reason.
    Time fetch_stalls = 0, branch_stalls = 0, operand_stalls = 0, store_stalls = 0, tlb_stalls = 0;
    Time barrier_stalls = 0;

    // One JSON object; stalls in ns.
    void write(std::ostream &out) const;
};

} // namespace twin::a53
