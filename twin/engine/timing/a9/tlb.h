// Address translation of the Cortex-A9 by short descriptors: micro TLBs, a main TLB of which some
// entries can be locked, and walks that read the tables.
//
// The firmware maps memory flat; tables that map it elsewhere stop the engine.
#pragma once

#include "core/memory.h"
#include "timing/a9/memories.h"

#include <cstdint>
#include <vector>

namespace twin::a9 {

// The registers that translation goes by.
struct Regime {
    bool mmu = false;
    bool data_cached = false;         // SCTLR.C
    bool instructions_cached = false; // SCTLR.I
    std::uint32_t ttbr = 0;
};

struct Page {
    std::uint64_t base = 1; // of no address
    std::uint64_t mask = 0; // address & mask == base: it is in this page
    bool inner = false;     // cacheable in L1, in L2
    bool outer = false;
    Time ready = 0; // its walk is over
    bool holds(std::uint64_t address) const { return (address & mask) == base; }
};

class Tlb {
  public:
    Tlb(unsigned core, const Parameters &parameters, const Memory &memory, Memories &memories);

    struct Answer {
        const Page *page; // good until the next call
        Time time;        // when it is known
    };
    Answer translate(std::uint64_t address, bool fetch, Time time, const Regime &regime);

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
    Page walk(std::uint64_t address, Time &time, const Regime &regime);
    std::uint32_t read(std::uint64_t at, std::uint64_t address) const;

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
