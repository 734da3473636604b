#include "timing/a53/parameters.h"

#include "core/stop.h"

#include <bit>

namespace twin::a53 {

namespace {

using Key = ConstantKey<Parameters>;

// Constants that are taken as they are in the profile: counts, and times in units.
constexpr Key plain[] = {
    {"branch.history_entries", &Parameters::history_entries},
    {"branch.history_length", &Parameters::history_length},
    {"l1i.size", &Parameters::l1i_size},
    {"l1i.ways", &Parameters::l1i_ways},
    {"l1i.hidden", &Parameters::l1i_hidden},
    {"l1d.size", &Parameters::l1d_size},
    {"l1d.ways", &Parameters::l1d_ways},
    {"l1d.fills", &Parameters::fills},
    {"l1d.uncached_loads", &Parameters::uncached_loads},
    {"l2.size", &Parameters::l2_size},
    {"l2.ways", &Parameters::l2_ways},
    {"l2.write_queue", &Parameters::write_queue},
    {"prefetch.depth", &Parameters::prefetch_depth},
    {"prefetch.streams", &Parameters::prefetch_streams},
    {"prefetch.trigger", &Parameters::prefetch_trigger},
    {"ddr.load", &Parameters::ddr_load},
    {"ddr.rest", &Parameters::ddr_rest},
    {"ddr.uncached", &Parameters::ddr_uncached},
    {"port.bandwidth", &Parameters::port_bandwidth},
    {"ddr.bandwidth", &Parameters::ddr_bandwidth},
    {"ddr.refresh_period", &Parameters::ddr_refresh_period},
    {"ddr.refresh", &Parameters::ddr_refresh},
    {"ddr.banks", &Parameters::ddr_banks},
    {"ddr.row", &Parameters::ddr_row},
    {"ddr.row_open", &Parameters::ddr_row_open},
    {"ddr.row_cycle", &Parameters::ddr_row_cycle},
    {"ddr.turnaround", &Parameters::ddr_turnaround},
    {"ocm.load", &Parameters::ocm_load},
    {"ocm.line", &Parameters::ocm_line},
    {"fetch.uncached_bytes", &Parameters::fetch_bytes},
    {"fetch.uncached_overlap", &Parameters::fetch_overlap},
    {"fetch.non_cacheable_held", &Parameters::fetch_holds},
    {"tlb.micro_entries", &Parameters::micro_entries},
    {"tlb.main_entries", &Parameters::main_entries},
    {"tlb.main_ways", &Parameters::main_ways},
    {"tlb.walk_entries", &Parameters::walk_entries},
    {"tlb.walk_ways", &Parameters::walk_ways},
    {"store.entries", &Parameters::store_entries},
    {"store.uncached_drain", &Parameters::store_uncached},
    {"store.streaming_lines", &Parameters::streaming_lines},
    {"store.streaming_l2_lines", &Parameters::streaming_l2_lines},
};

// Cycles.
constexpr Key cycles[] = {
    {"issue.divide_w", &Parameters::divide_w},
    {"issue.divide_x", &Parameters::divide_x},
    {"issue.system_register", &Parameters::system_register},
    {"branch.mispredict", &Parameters::mispredict},
    {"branch.taken_bubble", &Parameters::taken_bubble},
    {"branch.eret", &Parameters::eret},
    {"l1i.fill", &Parameters::l1i_fill},
    {"l2.load", &Parameters::l2_load},
    {"l2.occupancy", &Parameters::l2_occupancy},
    {"tlb.micro_miss", &Parameters::micro_miss},
    {"tlb.walk_overhead", &Parameters::walk_overhead},
    {"maintenance.l1_set_way", &Parameters::l1_set_way},
    {"maintenance.l2_set_way", &Parameters::l2_set_way},
    {"maintenance.by_address", &Parameters::by_address},
    {"maintenance.ic_all", &Parameters::ic_all},
    {"maintenance.tlbi_local", &Parameters::tlbi_local},
    {"maintenance.tlbi_shared", &Parameters::tlbi_shared},
    {"barrier.dsb", &Parameters::dsb},
    {"barrier.isb", &Parameters::isb},
};

} // namespace

Parameters Parameters::from(Constants &constants, const Place &place) {
    Parameters it{};
    it.place = place;
    take_members(constants, it, plain);
    for (const auto &key : cycles)
        it.*key.member = constants.take(key.name) / place.cycle;

    auto one_of_each = {it.l1i_ways,      it.l1d_ways,       it.l2_ways,        it.main_ways,
                        it.walk_ways,     it.fills,          it.uncached_loads, it.store_entries,
                        it.ddr_bandwidth, it.port_bandwidth, it.micro_entries,  it.history_entries,
                        it.fetch_overlap, it.ddr_banks,      it.ddr_row};
    for (auto value : one_of_each)
        if (value == 0)
            refuse("profile: a size, a bandwidth or an overlap of model a53 is 0");
    if (!std::has_single_bit(it.fetch_bytes))
        refuse("profile constant fetch.uncached_bytes must be a power of two");
    if (it.l1i_hidden > 100)
        refuse("profile constant l1i.hidden exceeds 100 percent");
    return it;
}

} // namespace twin::a53
