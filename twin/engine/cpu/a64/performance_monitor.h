// The performance monitor of one core: its cycle counter and its event counters. Filters by
// exception level are kept without effect, and no overflow is an interrupt.
#pragma once

#include "cpu/a64/registers.h"
#include "cpu/event_counters.h"
#include "cpu/unicorn_core.h"

#include <cstdint>
#include <optional>

namespace twin::a64 {

class PerformanceMonitor {
  public:
    // `in_wfi`: the cycle counter goes on while the core is in WFI.
    PerformanceMonitor(const UnicornCore &core, bool in_wfi);

    static bool has(SystemRegister reg);

    // Precondition of both: has(reg). Nothing: the counter has run with an event that is not
    // modelled.
    std::optional<std::uint64_t> read(SystemRegister reg) const;
    void write(SystemRegister reg, std::uint64_t value);

  private:
    bool runs() const { return (control_ & 1) && (enabled_ >> 31); }
    unsigned selected() const { return static_cast<unsigned>(select_ & 0x1F); }
    std::uint64_t cycles() const;
    std::uint64_t count() const;

    const UnicornCore &core_;
    const bool in_wfi_;
    EventCounters events_;
    std::uint64_t control_ = 0;    // PMCR
    std::uint64_t enabled_ = 0;    // PMCNTENSET
    std::uint64_t select_ = 0;     // PMSELR
    std::uint64_t users_ = 0;      // PMUSERENR
    std::uint64_t interrupts_ = 0; // PMINTENSET
    std::uint64_t filter_ = 0;     // PMCCFILTR
    std::uint64_t base_ = 0;       // its count before `since_`
    std::uint64_t since_ = 0;      // of cycles()
};

} // namespace twin::a64
