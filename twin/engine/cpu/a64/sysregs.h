// The system registers of one core that Unicorn has not, or fills from the host's clock, and the
// list of those that are left to Unicorn. A register in neither list stops the engine.
#pragma once

#include "core/count.h"
#include "core/events.h"
#include "core/units.h"
#include "cpu/a64/registers.h"

#include <cstdint>
#include <functional>

namespace twin::a64 {

class Core;

// One generic timer of a core: level high while enabled, unmasked and due, which it is while its
// count is not below the compare value, as 64-bit unsigned numbers.
class GenericTimer {
  public:
    GenericTimer(EventQueue &events, Count &counter, std::function<void(bool, Time)> output)
        : events_(events), counter_(counter), output_(std::move(output)) {}

    // The system counter less the offset, modulo 2^64.
    std::uint64_t count(Time now) const { return counter_.count(now) - offset_; }
    void set_offset(std::uint64_t value, Time now);

    std::uint64_t control(Time now) const;
    void set_control(std::uint64_t value, Time now);
    std::uint64_t compare() const { return compare_; }
    void set_compare(std::uint64_t value, Time now);

    // The signed distance to the compare value, of which a register shows 32 bits.
    std::uint64_t distance(Time now) const { return (compare_ - count(now)) & 0xFFFF'FFFF; }
    void set_distance(std::uint64_t value, Time now);

    // Brings the output up to date; also when the counter starts or stops.
    void update(Time now);

  private:
    bool due(Time now) const { return count(now) >= compare_; }

    EventQueue &events_;
    Count &counter_;
    std::function<void(bool, Time)> output_;
    bool enabled_ = false;
    bool masked_ = false;
    bool level_ = false;
    std::uint64_t offset_ = 0;
    std::uint64_t compare_ = 0;
    std::uint64_t generation_ = 0; // events of older settings do nothing
};

enum class Timer { secure, physical, virtual_, hypervisor };

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
    SystemRegisters(Core &core, EventQueue &events, Count &counter, const Variants &variants,
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
    bool cycle_counter_runs() const { return (pmcr_ & 1) && (pmcnten_ >> 31); }
    std::uint64_t cycles() const;
    std::uint64_t cycle_counter() const;
    void set_cycle_counter(std::uint64_t value);
    bool write_pmu(SystemRegister reg, std::uint64_t value);

    Core &core_;
    Count &counter_;
    const Variants &variants_;
    GenericTimer secure_timer_;     // CNTPS
    GenericTimer physical_timer_;   // CNTP: one in both security states while EL3 is AArch64
    GenericTimer virtual_timer_;    // CNTV
    GenericTimer hypervisor_timer_; // CNTHP

    std::uint64_t counter_frequency_ = 0;
    std::uint64_t cpuectlr_ = 0;
    std::uint64_t cpuactlr_;
    std::uint64_t pmcr_ = 0;
    std::uint64_t pmcnten_ = 0;
    std::uint64_t cycle_base_ = 0;
    std::uint64_t cycle_since_ = 0;
};

} // namespace twin::a64
