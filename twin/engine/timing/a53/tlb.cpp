#include "timing/a53/tlb.h"

#include "core/stop.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace twin::a53 {

namespace {

constexpr unsigned last_level = a64::WalkStart::last_level;
// Bits of an address below a last-level table, of granules of 4 KB and of 64 KB.
constexpr unsigned below_table[] = {21, 29};

Attribute attribute_of(std::uint64_t mair, std::uint64_t descriptor) {
    unsigned kind = mair >> 8 * (descriptor >> 2 & 7) & 0xFF;
    if ((kind & 0xF0) == 0)
        return Attribute::device;
    // The A53 treats write-through as uncached; write-back must hold for inner and outer.
    auto write_back = [](unsigned half) { return half >= 0xC || (half >= 5 && half <= 7); };
    return write_back(kind >> 4) && write_back(kind & 0xF) ? Attribute::write_back
                                                           : Attribute::uncached;
}

} // namespace

Tlb::Tlb(unsigned core, const Parameters &parameters, const Memory &memory, Memories &memories,
         Random random)
    : parameters_(parameters), memory_(memory), memories_(memories), core_(core), start_(random),
      random_(random), cycle_(parameters.place.cycle), instructions_(parameters), data_(parameters),
      main_(parameters.main_entries), tables_(parameters.walk_entries) {}

Tlb::Answer Tlb::translate(std::uint64_t address, bool fetch, Time time, const a64::Regime &regime,
                           Counters &counters) {
    auto &micro = fetch ? instructions_ : data_;
    auto key = key_of(address, regime.level);
    if (const Page *page = micro.find(key))
        return {page, time};
    ++counters.micro_tlb_misses;
    time += parameters_.micro_miss * cycle_;
    if (const Page *page = find_main(key))
        return {micro.fill(*page), time};
    ++counters.tlb_walks;
    auto page = walk(address, time, regime, counters);
    if (!page)
        return {nullptr, time};
    fill_main(*page);
    return {micro.fill(*page), time};
}

const Page *Tlb::find_main(std::uint64_t key) const {
    std::size_t sets = main_.size() / parameters_.main_ways;
    for (std::uint64_t sizes = sizes_; sizes; sizes &= sizes - 1) {
        std::size_t set = (key >> std::countr_zero(sizes)) % sets;
        for (std::size_t way = 0; way < parameters_.main_ways; ++way)
            if (const auto &page = main_[set * parameters_.main_ways + way]; page.holds(key))
                return &page;
    }
    return nullptr;
}

void Tlb::fill_main(const Page &page) {
    auto shift = std::countr_zero(page.mask);
    sizes_ |= std::uint64_t{1} << shift;
    std::size_t set = (page.base >> shift) % (main_.size() / parameters_.main_ways);
    Page *ways = &main_[set * parameters_.main_ways];
    for (std::size_t way = 0; way < parameters_.main_ways; ++way)
        if (ways[way].mask == 0) {
            ways[way] = page;
            return;
        }
    ways[random_.next() % parameters_.main_ways] = page;
}

std::uint64_t Tlb::descriptor(std::uint64_t at) const {
    const auto *bytes = memory_.at(at, 8);
    if (!bytes)
        stop_engine("translation table at " + hex(at) + " is outside DDR and OCM");
    std::uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

std::optional<Page> Tlb::walk(std::uint64_t address, Time &time, const a64::Regime &regime,
                              Counters &counters) {
    auto start = a64::walk_start(regime, address);
    if (!start.mapped)
        return {};
    bool cached = regime.data_cached() && start.cached;
    time += parameters_.walk_overhead * cycle_;

    auto key = key_of(address, regime.level);
    unsigned level = start.level;
    std::uint64_t table = start.table;
    std::uint64_t tag = key >> start.shift(last_level - 1);
    std::size_t sets = tables_.size() / parameters_.walk_ways;
    Table *ways = &tables_[tag % sets * parameters_.walk_ways];
    for (std::size_t way = 0; way < parameters_.walk_ways; ++way)
        if (ways[way].tag == tag) {
            table = ways[way].base;
            level = last_level;
        }

    for (;; ++level) {
        std::uint64_t at = start.entry(table, level, address);
        time = memories_.read_descriptor(core_, at, time, cached, counters);
        std::uint64_t entry = descriptor(at);
        if (!(entry & 1))
            return {};
        if (level < last_level && (entry & 2)) {
            table = start.next(entry);
            if (level == last_level - 1)
                ways[random_.next() % parameters_.walk_ways] = {tag, table};
            continue;
        }
        std::uint64_t mask = ~((std::uint64_t{1} << start.shift(level)) - 1);
        return Page{key & mask, mask, start.next(entry) & mask, attribute_of(regime.mair, entry)};
    }
}

void Tlb::clear() {
    instructions_.clear();
    data_.clear();
    std::fill(main_.begin(), main_.end(), Page{});
    std::fill(tables_.begin(), tables_.end(), Table{});
    sizes_ = 0;
    random_ = start_;
}

void Tlb::remove(std::uint64_t address) {
    instructions_.clear(); // any maintenance of the main TLB empties both
    data_.clear();
    for (unsigned level = 1; level <= 3; ++level) {
        auto key = key_of(address, level);
        for (auto &page : main_)
            if (page.holds(key))
                page = Page{};
        for (auto &table : tables_)
            for (unsigned bits : below_table)
                if (table.tag == key >> bits)
                    table = Table{};
    }
}

} // namespace twin::a53
