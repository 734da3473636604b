#include "timing/a9/parameters.h"

#include "core/stop.h"

#include <bit>
#include <string>

namespace twin::a9 {

namespace {

using Key = ConstantKey<Parameters>;

constexpr Key keys[] = {
    {"issue.width", &Parameters::width},
    {"issue.window", &Parameters::window},
    {"issue.load", &Parameters::load},
    {"issue.address", &Parameters::address},
    {"issue.multiply", &Parameters::multiply},
    {"issue.shifted", &Parameters::shifted},
    {"issue.status", &Parameters::status},
    {"issue.coprocessor", &Parameters::coprocessor},
    {"branch.mispredict", &Parameters::mispredict},
    {"branch.exception_return", &Parameters::exception_return},
    {"branch.target_entries", &Parameters::target_entries},
    {"branch.history_entries", &Parameters::history_entries},
    {"branch.history_length", &Parameters::history_length},
    {"l1.size", &Parameters::l1_size},
    {"l1.ways", &Parameters::l1_ways},
    {"l1.instruction_fill", &Parameters::l1i_fill},
    {"l1.data_fills", &Parameters::data_fills},
    {"l2.size", &Parameters::l2_size},
    {"l2.ways", &Parameters::l2_ways},
    {"l2.load", &Parameters::l2_load},
    {"ddr.load", &Parameters::ddr_load},
    {"ddr.instruction_fill", &Parameters::ddr_line},
    {"ddr.uncached", &Parameters::ddr_uncached},
    {"ddr.refresh_period", &Parameters::ddr_refresh_period},
    {"ddr.refresh", &Parameters::ddr_refresh},
    {"ddr.excursion", &Parameters::ddr_excursion},
    {"ddr.excursion_every", &Parameters::ddr_excursion_every},
    {"ocm.load", &Parameters::ocm_load},
    {"ocm.instruction_fill", &Parameters::ocm_line},
    {"ocm.uncached", &Parameters::ocm_uncached},
    {"fetch.uncached_bytes", &Parameters::fetch_bytes},
    {"fetch.wasted", &Parameters::fetch_wasted},
    {"tlb.micro_entries", &Parameters::micro_entries},
    {"tlb.main_sets", &Parameters::main_sets},
    {"tlb.main_ways", &Parameters::main_ways},
    {"tlb.locked_entries", &Parameters::locked_entries},
    {"tlb.micro_miss", &Parameters::micro_miss},
    {"tlb.main_miss", &Parameters::main_miss},
    {"store.entries", &Parameters::store_entries},
    {"maintenance.set_way", &Parameters::set_way},
    {"maintenance.by_address", &Parameters::by_address},
    {"maintenance.all_instructions", &Parameters::all_instructions},
    {"maintenance.all_translations", &Parameters::all_translations},
    {"barrier.dsb", &Parameters::dsb},
    {"barrier.isb", &Parameters::isb},
};

} // namespace

Parameters Parameters::from(Constants &constants, const Place &place) {
    Parameters it{};
    it.place = place;
    take_members(constants, it, keys);
    auto one_of_each = {it.width,         it.window,         it.l1_ways,           it.l2_ways,
                        it.data_fills,    it.main_sets,      it.main_ways,         it.micro_entries,
                        it.store_entries, it.locked_entries, it.ddr_refresh_period};
    for (auto value : one_of_each)
        if (value == 0)
            refuse("profile: a size or a period of model a9 is 0");
    for (auto value : {it.fetch_bytes, it.target_entries, it.history_entries, it.main_sets})
        if (!std::has_single_bit(value))
            refuse("profile: fetch.uncached_bytes and the sizes of predictors and main TLB must be "
                   "powers of two");
    return it;
}

} // namespace twin::a9
