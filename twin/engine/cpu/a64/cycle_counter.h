// The cycle counter of one core's performance monitor. Event counters and filters are not modelled.
#pragma once

#include "cpu/a64/registers.h"
#include "cpu/unicorn_core.h"

#include <cstdint>

namespace twin::a64 {

class CycleCounter {
  public:
    // `in_wfi`: it goes on while the core is in WFI.
    CycleCounter(const UnicornCore &core, bool in_wfi) : core_(core), in_wfi_(in_wfi) {}

    // Whether it is one of PMCR, PMCNTENSET, PMCNTENCLR, PMCCNTR and PMCCFILTR.
    static bool has(SystemRegister reg);

    // Precondition of both: has(reg). False: what is written is not modelled.
    std::uint64_t read(SystemRegister reg) const;
    bool write(SystemRegister reg, std::uint64_t value);

  private:
    bool runs() const { return (control_ & 1) && (enabled_ >> 31); }
    std::uint64_t cycles() const;
    std::uint64_t count() const;

    const UnicornCore &core_;
    const bool in_wfi_;
    std::uint64_t control_ = 0; // PMCR
    std::uint64_t enabled_ = 0; // PMCNTENSET
    std::uint64_t base_ = 0;    // what it counted before `since_`
    std::uint64_t since_ = 0;   // of cycles()
};

} // namespace twin::a64
