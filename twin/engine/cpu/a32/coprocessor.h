// The registers of coprocessor 15 of one Cortex-A9 r3p0 that Unicorn has not, has otherwise, or
// fills from nowhere, and the list of those that are left to it. One in neither list stops the
// engine.
#pragma once

#include "cpu/a32/registers.h"
#include "cpu/event_counters.h"
#include "cpu/unicorn_core.h"

#include <array>
#include <cstdint>

namespace twin::a32 {

class Coprocessor {
  public:
    // `base`: what CBAR tells, where the private memory region is.
    Coprocessor(const UnicornCore &core, std::uint32_t base);

    // True: handled here. False: Unicorn's own register does it. Others stop the engine.
    bool read(CoprocessorRegister reg, std::uint32_t &value);
    bool write(CoprocessorRegister reg, std::uint32_t value);

  private:
    [[noreturn]] void refuse_register(CoprocessorRegister reg, const char *why) const;
    std::uint32_t cycle_counter() const;
    bool counts() const { return (pmcr_ & 1) && (pmcnten_ >> 31); }
    bool read_monitor(CoprocessorRegister reg, std::uint32_t &value) const;
    bool write_monitor(CoprocessorRegister reg, std::uint32_t value);

    const UnicornCore &core_;
    const std::uint32_t base_;
    std::uint32_t csselr_ = 0, actlr_ = 0, lockdown_ = 0, power_ = 0, diagnostic_ = 0;
    unsigned locked_read_ = 0, locked_write_ = 0; // entries of the main TLB that can be locked
    std::array<std::uint32_t, 4> locked_addresses_{}, locked_physicals_{}, locked_attributes_{};
    EventCounters events_;
    std::uint32_t pmcr_ = 0, pmcnten_ = 0, pmuserenr_ = 0, pmselr_ = 0, pminten_ = 0;
    std::uint32_t cycle_base_ = 0;
    std::uint64_t cycle_since_ = 0;
};

} // namespace twin::a32
