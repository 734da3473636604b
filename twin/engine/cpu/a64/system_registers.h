// The system registers of one core that Unicorn has not, or fills from the host's clock, and the
// list of those that are left to Unicorn. A register in neither list stops the engine.
#pragma once

#include "core/count.h"
#include "core/events.h"
#include "core/units.h"
#include "cpu/a64/cycle_counter.h"
#include "cpu/a64/generic_timer.h"
#include "cpu/a64/registers.h"
#include "cpu/unicorn_core.h"

#include <cstdint>
#include <functional>

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

    // Registers that Unicorn takes for undefined instructions.
    void read_trapped(SystemRegister reg, std::uint64_t &value);
    void write_trapped(SystemRegister reg, std::uint64_t value);

  private:
    [[noreturn]] void refuse_register(SystemRegister reg, bool is_write) const;
    GenericTimer *timer_of(SystemRegister reg);

    const UnicornCore &core_;
    Count &counter_;
    CycleCounter cycle_counter_;
    GenericTimer secure_timer_;     // CNTPS
    GenericTimer physical_timer_;   // CNTP: one in both security states while EL3 is AArch64
    GenericTimer virtual_timer_;    // CNTV
    GenericTimer hypervisor_timer_; // CNTHP

    std::uint64_t counter_frequency_ = 0;
    std::uint64_t cpuectlr_ = 0;
    std::uint64_t cpuactlr_;
};

} // namespace twin::a64
