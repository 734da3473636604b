#include "timing/a53/counters.h"

namespace twin::a53 {

void Counters::write(std::ostream &out) const {
    const struct {
        const char *name;
        std::uint64_t value;
    } rows[] = {
        {"l1i_hits", l1i_hits},
        {"l1i_misses", l1i_misses},
        {"l1d_hits", l1d_hits},
        {"l1d_misses", l1d_misses},
        {"l1d_writebacks", l1d_writebacks},
        {"l2_hits", l2_hits},
        {"l2_misses", l2_misses},
        {"snoop_hits", snoop_hits},
        {"ddr_reads", ddr_reads},
        {"ddr_writes", ddr_writes},
        {"ocm_reads", ocm_reads},
        {"ocm_writes", ocm_writes},
        {"uncached_fetches", uncached_fetches},
        {"uncached_loads", uncached_loads},
        {"uncached_stores", uncached_stores},
        {"prefetches", prefetches},
        {"streamed_lines", streamed_lines},
        {"micro_tlb_misses", micro_tlb_misses},
        {"tlb_walks", tlb_walks},
        {"walk_reads", walk_reads},
        {"branches", branches},
        {"mispredicts", mispredicts},
        {"set_way", set_way},
        {"maintenance", maintenance},
        {"fetch_stalls_ns", fetch_stalls / 6},
        {"branch_stalls_ns", branch_stalls / 6},
        {"operand_stalls_ns", operand_stalls / 6},
        {"store_stalls_ns", store_stalls / 6},
        {"tlb_stalls_ns", tlb_stalls / 6},
        {"barrier_stalls_ns", barrier_stalls / 6},
    };
    const char *comma = "{";
    for (const auto &row : rows) {
        out << comma << '"' << row.name << "\": " << row.value;
        comma = ", ";
    }
    out << "}";
}

} // namespace twin::a53
