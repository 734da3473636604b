#include "timing/a9/tlb.h"

#include "core/stop.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace twin::a9 {

namespace {

constexpr unsigned page_bits = 12;
constexpr unsigned sizes[] = {20, page_bits, 24, 16}; // the most frequent first

constexpr std::uint64_t mask_of(unsigned bits) {
    return ~((std::uint64_t{1} << bits) - 1) & 0xFFFFFFFF;
}

// Cacheability by TEX, C and B without TEX remap (Arm ARM DDI 0406, B3.8.2).
void set_attributes(Page &page, unsigned tex, unsigned cb) {
    if (tex & 4) {
        page.inner = cb != 0;
        page.outer = (tex & 3) != 0;
    } else {
        page.inner = page.outer = cb >= 2 && tex <= 1 && !(tex == 1 && cb == 2);
    }
}

} // namespace

const Page *Tlb::Micro::find(std::uint64_t address) {
    if (entries[last].holds(address))
        return &entries[last];
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].holds(address)) {
            last = i;
            return &entries[i];
        }
    return nullptr;
}

const Page *Tlb::Micro::fill(const Page &page) {
    last = next;
    next = (next + 1) % entries.size();
    return &(entries[last] = page);
}

void Tlb::Micro::clear() { std::fill(entries.begin(), entries.end(), Page{}); }

Tlb::Tlb(unsigned core, const Parameters &parameters, const Memory &memory, Memories &memories)
    : parameters_(parameters), memory_(memory), memories_(memories), core_(core),
      main_(parameters.main_sets * parameters.main_ways), locked_(parameters.locked_entries),
      next_(parameters.main_sets) {
    instructions_.entries.resize(parameters.micro_entries);
    data_.entries.resize(parameters.micro_entries);
}

Tlb::Answer Tlb::translate(std::uint64_t address, bool fetch, Time time,
                           const a32::Regime &regime) {
    auto &micro = fetch ? instructions_ : data_;
    if (const Page *page = micro.find(address))
        return {page, std::max(time, page->ready)};
    ++micro_misses_;
    time += parameters_.micro_miss;
    if (const Page *page = find_main(address))
        return {micro.fill(*page), std::max(time, page->ready)};
    ++walks_;
    time += parameters_.main_miss;
    Page page = walk(address, time, regime);
    page.ready = time;
    fill_main(page);
    return {micro.fill(page), time};
}

const Page *Tlb::find_main(std::uint64_t address) const {
    for (const auto &page : locked_)
        if (page.holds(address))
            return &page;
    for (unsigned bits : sizes) {
        std::size_t set = (address >> bits) & (parameters_.main_sets - 1);
        for (std::size_t way = 0; way < parameters_.main_ways; ++way)
            if (const auto &page = main_[set * parameters_.main_ways + way]; page.holds(address))
                return &page;
    }
    return nullptr;
}

void Tlb::fill_main(const Page &page) {
    if (locking_) {
        locked_[victim_] = page;
        victim_ = (victim_ + 1) % locked_.size();
        return;
    }
    std::size_t set = (page.base >> std::countr_zero(page.mask)) & (parameters_.main_sets - 1);
    Page *ways = &main_[set * parameters_.main_ways];
    for (std::size_t way = 0; way < parameters_.main_ways; ++way)
        if (ways[way].mask == 0) {
            ways[way] = page;
            return;
        }
    ways[next_[set]++ % parameters_.main_ways] = page;
}

std::uint32_t Tlb::read(std::uint64_t at) const {
    const auto *bytes = memory_.at(at, 4);
    if (!bytes)
        stop_engine("translation table at " + hex(at) + " is outside DDR and OCM");
    std::uint32_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

Page Tlb::walk(std::uint64_t address, Time &time, const a32::Regime &regime) {
    // Inner cacheability of the walk: IRGN[1:0] is bits 0 and 6, with multiprocessing extensions.
    auto word = static_cast<std::uint32_t>(address);
    bool cached = regime.data_cached() && (regime.ttbr(word) & 0x41);
    std::uint64_t at = regime.entry(word);
    time = memories_.descriptor(core_, at, cached, time);
    std::uint32_t entry = read(at);
    auto found = a32::first_level(entry);
    if (a32::names_table(entry)) {
        at = found.to + 4 * (address >> page_bits & 0xFF);
        time = memories_.descriptor(core_, at, cached, time);
        found = a32::second_level(read(at), found.domain);
    }
    Page page;
    page.mask = mask_of(found.bits ? found.bits : page_bits); // else an abort follows
    page.base = address & page.mask;
    page.to = found.to & page.mask;
    set_attributes(page, found.tex, found.cb);
    return page;
}

void Tlb::clear() {
    instructions_.clear();
    data_.clear();
    std::fill(main_.begin(), main_.end(), Page{});
    std::fill(next_.begin(), next_.end(), 0u);
}

void Tlb::remove(std::uint64_t address) {
    instructions_.clear(); // any maintenance of the main TLB empties both
    data_.clear();
    for (auto *entries : {&main_, &locked_})
        for (auto &page : *entries)
            if (page.holds(address))
                page = Page{};
}

void Tlb::lock(std::uint32_t value) {
    locking_ = value & 1;
    victim_ = (value >> 28 & 3) % locked_.size();
}

} // namespace twin::a9
