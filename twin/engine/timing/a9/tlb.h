// Address translation of the Cortex-A9 by short descriptors: micro TLBs, a main TLB of which some
// entries can be locked, and walks that read the tables.
#pragma once

#include "core/memory.h"
#include "cpu/a32/translation.h"
#include "timing/a9/memories.h"

#include <cstdint>
#include <vector>

namespace twin::a9 {

struct Page {
    std::uint64_t base = 1; // of no address
    std::uint64_t mask = 0; // address & mask == base: it is in this page
    std::uint64_t to = 0;   // where it begins, as a physical address
    bool inner = false;     // cacheable in L1, in L2
    bool outer = false;
    Time ready = 0; // its walk is over
    std::uint64_t physical(std::uint64_t address) const {
        return to | (address & ~mask & 0xFFFF'FFFF);
    }
    bool holds(std::uint64_t address) const { return (address & mask) == base; }
};

class Tlb {
  public:
    Tlb(unsigned core, const Parameters &parameters, const Memory &memory, Memories &memories);

    struct Answer {
        const Page *page; // good until the next call
        Time time;        // when it is known
    };
    Answer translate(std::uint64_t address, bool fetch, Time time, const a32::Regime &regime);

    // TLBIALL leaves locked entries; TLBIMVA drops any of its address.
    void clear();
    void remove(std::uint64_t address);

    // The lockdown register: walks fill the victim, and the next one after it, while P is set.
    void lock(std::uint32_t value);

    std::uint64_t micro_misses() const { return micro_misses_; }
    std::uint64_t walks() const { return walks_; }

  private:
    // Fully associative, round robin.
    struct Micro {
        std::vector<Page> entries;
        std::size_t last = 0, next = 0;

        const Page *find(std::uint64_t address);
        const Page *fill(const Page &page);
        void clear();
    };

    const Page *find_main(std::uint64_t address) const;
    void fill_main(const Page &page);
    Page walk(std::uint64_t address, Time &time, const a32::Regime &regime);
    std::uint32_t read(std::uint64_t at) const;

    const Parameters &parameters_;
    const Memory &memory_;
    Memories &memories_;
    unsigned core_;
    Micro instructions_, data_;
    std::vector<Page> main_, locked_;
    std::vector<unsigned> next_; // by set
    bool locking_ = false;
    std::size_t victim_ = 0;
    std::uint64_t micro_misses_ = 0, walks_ = 0;
};

} // namespace twin::a9
