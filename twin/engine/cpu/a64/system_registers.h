// The system registers of one core that Unicorn has not, or fills from the host's clock. One that
// register_table.h does not know stops the engine.
#pragma once

#include "core/count.h"
#include "core/events.h"
#include "core/units.h"
#include "cpu/a64/generic_timer.h"
#include "cpu/a64/performance_monitor.h"
#include "cpu/a64/register_table.h"
#include "cpu/a64/registers.h"
#include "cpu/unicorn_core.h"

#include <cstdint>
#include <functional>
#include <map>

namespace twin::a64 {

// Where two sources tell it differently.
struct Variants {
    // CPUACTLR_EL1 of core 0 when the program begins: as out of reset, or as a loader left it.
    std::uint64_t cpuactlr_0 = 0x090C'A000;

    // The cycle counter goes on while the core is in WFI.
    std::uint64_t cycles_in_wfi = 0;
};

class SystemRegisters {
  public:
    // `output` drives the interrupt of a timer of this core.
    SystemRegisters(const UnicornCore &core, EventQueue &events, Count &counter,
                    const Variants &variants,
                    std::function<void(Timer timer, bool level, Time time)> output);

    // True: handled here. False: Unicorn's own register does it. Others stop the engine.
    bool read(SystemRegister reg, std::uint64_t &value);
    bool write(SystemRegister reg, std::uint64_t value);

    // The same of an access that Unicorn takes for an undefined instruction. False: it is one.
    bool read_undefined(SystemRegister reg, std::uint64_t &value);
    bool write_undefined(SystemRegister reg, std::uint64_t value);

    // As firmware at EL3 leaves it.
    void set_frequency(std::uint64_t hz) { counter_frequency_ = hz; }

  private:
    [[noreturn]] void refuse_register(SystemRegister reg, const char *why) const;
    std::uint64_t read_here(const KnownRegister &known);
    void write_here(const KnownRegister &known, std::uint64_t value);
    GenericTimer *timer_of(SystemRegister reg);

    const UnicornCore &core_;
    Count &counter_;
    PerformanceMonitor monitor_;
    GenericTimer secure_timer_;     // CNTPS
    GenericTimer physical_timer_;   // CNTP: one in both security states while EL3 is AArch64
    GenericTimer virtual_timer_;    // CNTV
    GenericTimer hypervisor_timer_; // CNTHP

    std::uint64_t counter_frequency_ = 0;
    std::map<std::uint16_t, std::uint64_t> stored_; // by key, of those that have been written
};

} // namespace twin::a64
