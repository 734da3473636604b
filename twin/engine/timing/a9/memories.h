// The memories of the cores: the L2 cache, DDR, on-chip memory, and the other core's L1.
//
// Requests of the two cores do not delay each other. DDR refreshes at its period, whoever asks.
#pragma once

#include "timing/a9/cache.h"
#include "timing/a9/parameters.h"

#include <array>
#include <cstdint>
#include <vector>

namespace twin::a9 {

class Memories {
  public:
    static constexpr unsigned cores = 2;

    explicit Memories(const Parameters &parameters);

    void attach(Cache &l1d) { l1d_.push_back(&l1d); }

    // When a line that L1 lacks has come, for a load, for a fetch, and for a walk of the tables,
    // which looks into L2 only. `outer`: the page is cacheable in L2.
    Time load(unsigned core, LineNumber line, bool outer, Time at);
    Time fetch(unsigned core, LineNumber line, bool outer, Time at);
    Time descriptor(unsigned core, std::uint64_t address, bool cached, Time at);

    // A read or a fetch past the caches; one of each core at a time. Writes have a way of their
    // own.
    Time uncached(unsigned core, std::uint64_t address, Time at);

    Time write_uncached(std::uint64_t address, Time at);

    // A dirty line leaves an L1.
    void write_back(unsigned core, LineNumber line, bool outer = true);
    // The core is going to write the line: no other one has it any more.
    void claim(unsigned core, LineNumber line);

    // ---- L2C-310 ----
    void enable(bool enabled) { enabled_ = enabled; }
    void maintain(LineNumber line, bool invalidate);
    void maintain_ways(std::uint32_t ways, bool invalidate);
    void lock(unsigned core, bool instructions, std::uint32_t ways);

    struct Counters {
        std::uint64_t l2_hits = 0, l2_misses = 0, ddr = 0, ocm = 0;
    };
    const Counters &counters() const { return counters_; }

  private:
    // High, or low.
    bool is_ocm(std::uint64_t address) const {
        return address >= parameters_.place.ocm_base || address < ocm_bytes;
    }
    Time ddr(Time at, Time takes);
    bool in_l2(unsigned core, LineNumber line, bool outer, bool instructions, Time ready);

    static constexpr std::uint64_t ocm_bytes = 0x4'0000;

    const Parameters &parameters_;
    Cache l2_;
    bool enabled_ = false;
    std::array<std::array<std::uint32_t, 2>, cores> locked_{}; // by core: data, instructions
    std::vector<Cache *> l1d_;
    std::array<Time, cores> uncached_until_{};
    std::uint64_t ddr_accesses_ = 0;
    Counters counters_;
};

} // namespace twin::a9
