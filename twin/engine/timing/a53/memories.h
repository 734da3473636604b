// Shared by the four cores: L2, the snooping of each other's L1, and the ways to DDR and OCM.
//
// Data enters L2 when an L1 gives it up, instructions when they are fetched (A35 TRM 7.2, the same
// family). Lines of one core that another writes are taken from it.
#pragma once

#include "core/units.h"
#include "timing/a53/banks.h"
#include "timing/a53/cache.h"
#include "timing/a53/counters.h"
#include "timing/a53/parameters.h"
#include "timing/a53/port.h"

#include <cstdint>
#include <vector>

namespace twin::a53 {

class Memories {
  public:
    explicit Memories(const Parameters &parameters);

    // The L1 data cache of core `number`: they come in the order of the cores.
    void attach(Cache &l1d) { l1d_.push_back(&l1d); }

    void set_cycle(Time cycle) { cycle_ = cycle; }

    struct Fill {
        Time ready;    // the word asked for, for a use by the load-use rules
        Time complete; // the whole line
        bool shared;   // another core has it
    };

    // A line for the L1 data cache of a core. With `own`, to be written: others lose it.
    Fill read_data(unsigned core, LineNumber line, Time time, bool own, Counters &counters);

    // A line for the L1 instruction cache of a core. Returns when its first instruction can issue.
    Time read_instructions(unsigned core, LineNumber line, Time time, Counters &counters);

    // One descriptor, by a table walk. Returns when it is there.
    Time read_descriptor(unsigned core, std::uint64_t address, Time time, bool cached,
                         Counters &counters);

    // Past the caches, at most a line. Returns when the data is there.
    Time read_uncached(unsigned core, std::uint64_t address, Time time, unsigned bytes,
                       Counters &counters);

    // Posted, at most a line; returns when the memory takes it. It is asked for when it enters the
    // store buffer: a read does not wait for a store that is still in there.
    Time write_uncached(unsigned core, std::uint64_t address, Time time, unsigned bytes,
                        Counters &counters);

    // An L1 data cache has given a line up. Returns how long the core has to wait for room.
    Time evict(unsigned core, const Cache::Line &line, Time time, Counters &counters);

    // A whole line written past L1: into L2, or to memory if `past_l2` and L2 has it not.
    // Returns how long the core has to wait for room.
    Time write_line(unsigned core, LineNumber line, Time time, bool past_l2, Counters &counters);

    // The core is going to write a line that others may have.
    void claim(unsigned core, LineNumber line);

    // Maintenance of one L2 line, of the set that the low bits of `set` say. Returns how long the
    // core has to wait for room.
    Time maintain_l2(unsigned core, unsigned set, unsigned way, bool clean, bool invalidate,
                     Time time, Counters &counters);
    // Out of every data cache, the youngest copy written back if dirty.
    void flush_everywhere(unsigned core, LineNumber line, Time time, Counters &counters);
    void write_back(unsigned core, LineNumber line, Time time, Counters &counters);

  private:
    bool is_ocm(LineNumber line) const {
        return line - line_of(parameters_.place.ocm_base) < line_of(ocm_bytes);
    }
    Port &memory_of(LineNumber line) { return is_ocm(line) ? ocm_ : ddr_; }
    void pass_banks(unsigned core, LineNumber line, bool write, Time time);
    Time take_uncached(Port &way, unsigned core, std::uint64_t address, Time time, unsigned bytes,
                       bool write);
    Time memory_load(unsigned core, LineNumber line, Time time, Counters &counters);
    Time write_memory(unsigned core, LineNumber line, Time time, Counters &counters);
    Time allocate_l2(unsigned core, LineNumber line, Time ready, bool dirty, Time time,
                     Counters &counters);
    bool held_by_other(unsigned core, LineNumber line, bool take, bool &dirty);
    Time pass_l2(Time time);

    static constexpr std::uint64_t ocm_bytes = 0x4'0000;

    const Parameters &parameters_;
    Time cycle_;
    std::vector<Cache *> l1d_;
    Cache l2_;
    Port reads_, writes_; // the way out of the cluster
    Port ddr_, ocm_;
    Banks banks_;
    Time l2_free_ = 0;
};

} // namespace twin::a53
