// Address translation of all exception levels: micro TLBs, main TLB, walk cache, and walks that
// read the tables.
#pragma once

#include "core/memory.h"
#include "core/units.h"
#include "cpu/a64/translation.h"
#include "timing/a53/memories.h"
#include "timing/a53/parameters.h"
#include "timing/a53/random.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace twin::a53 {

// What an address is looked up by: its low 48 bits, which of two tables it is of, and the level.
constexpr std::uint64_t key_of(std::uint64_t address, unsigned level) {
    constexpr unsigned upper = 48, of_level = 50;
    bool second = level == 1 && address >> 55 & 1;
    return (address & 0x0000'FFFF'FFFF'FFFF) | std::uint64_t{second} << upper |
           std::uint64_t{3 - level} << of_level;
}

// Attributes of a page, before SCTLR.C and I.
enum class Attribute : std::uint8_t { write_back, uncached, device };

struct Page {
    std::uint64_t base = 1; // of no address
    std::uint64_t mask = 0; // address & mask == base: it is in this page
    std::uint64_t to = 1;   // where it begins, as a physical address
    Attribute attribute = Attribute::device;
    std::uint64_t physical(std::uint64_t address) const { return to | (address & ~mask); }
    bool holds(std::uint64_t key) const { return (key & mask) == base; }
};

// Ten entries, fully associative, round robin.
class MicroTlb {
  public:
    explicit MicroTlb(const Parameters &parameters) : entries_(parameters.micro_entries) {}

    const Page *find(std::uint64_t address) {
        if (entries_[last_].holds(address))
            return &entries_[last_];
        for (std::size_t i = 0; i < entries_.size(); ++i)
            if (entries_[i].holds(address)) {
                last_ = i;
                return &entries_[i];
            }
        return nullptr;
    }

    const Page *fill(const Page &page) {
        last_ = next_;
        next_ = (next_ + 1) % entries_.size();
        return &(entries_[last_] = page);
    }

    void clear() {
        for (auto &entry : entries_)
            entry = Page{};
    }

  private:
    std::vector<Page> entries_;
    std::size_t last_ = 0;
    std::size_t next_ = 0;
};

class Tlb {
  public:
    Tlb(unsigned core, const Parameters &parameters, const Memory &memory, Memories &memories,
        Random random);

    struct Answer {
        const Page *page; // good until the next call; null: not mapped
        Time time;        // when it is known
    };

    // The page that `address` is in, for a fetch or a data access. Precondition: the MMU is on.
    Answer translate(std::uint64_t address, bool fetch, Time time, const a64::Regime &regime,
                     Counters &counters);

    // TLBI: everything, or the page of one address at any level.
    void clear();
    void remove(std::uint64_t address);

    void set_cycle(Time cycle) { cycle_ = cycle; }

  private:
    struct Table {
        std::uint64_t tag = ~std::uint64_t{0}; // bits of the key above what the table translates
        std::uint64_t base = 0;
    };

    const Page *find_main(std::uint64_t address) const;
    void fill_main(const Page &page);
    std::optional<Page> walk(std::uint64_t address, Time &time, const a64::Regime &regime,
                             Counters &counters);
    std::uint64_t descriptor(std::uint64_t at) const;

    const Parameters &parameters_;
    const Memory &memory_;
    Memories &memories_;
    unsigned core_;
    Random start_, random_; // TLBI of everything restarts the sequence
    Time cycle_;
    MicroTlb instructions_, data_;
    std::vector<Page> main_;
    std::vector<Table> tables_; // the walk cache: last-level tables
    std::uint64_t sizes_ = 0;   // bit n: an entry of 2^n bytes may be in the main TLB
};

} // namespace twin::a53
