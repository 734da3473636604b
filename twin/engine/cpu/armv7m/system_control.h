// The registers of an Armv7-M core in its system control space: NVIC, SysTick, SCB, FPU, DWT.
// Arm DDI 0403E, B3.2 and C1.8. The MPU's keep what is stored, and protect nothing.
#pragma once

#include "cpu/armv7m/nvic.h"
#include "cpu/armv7m/system_tick.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace twin::armv7m {

// Bits of CFSR and HFSR that the core sets.
namespace fault {
inline constexpr std::uint32_t instruction_bus = 1u << 8, precise = 1u << 9;
inline constexpr std::uint32_t bus_address_valid = 1u << 15;
inline constexpr std::uint32_t undefined = 1u << 16, invalid_state = 1u << 17;
inline constexpr std::uint32_t invalid_pc = 1u << 18, no_coprocessor = 1u << 19;
inline constexpr std::uint32_t unaligned = 1u << 24, divide_by_zero = 1u << 25;
inline constexpr std::uint32_t vector_table = 1u << 1, forced = 1u << 30, debug = 1u << 31;
} // namespace fault

class SystemControl {
  public:
    struct Wiring {
        std::function<std::uint64_t()> cycle;       // now
        std::function<std::uint64_t()> awake_cycle; // the same without sleep
        std::function<void(std::uint64_t)> call_at; // tick.expire(cycle) is to be called then
        std::function<Masks()> masks;
        std::function<unsigned()> executing;           // number of the exception, or 0
        std::function<void(const std::string &)> note; // for the log, once
        std::function<void()> reset;
    };

    SystemControl(Nvic &nvic, unsigned tick_reference, std::uint32_t vectors, Wiring wiring);

    // Words. Anything in 0xE000'0000 to 0xE00F'FFFF.
    std::uint32_t load(std::uint32_t address);
    void store(std::uint32_t address, std::uint32_t value);
    void store_byte(std::uint32_t address, std::uint8_t value);

    SystemTick tick;

    std::uint32_t vectors() const { return vectors_; }
    bool sleeps_on_exit() const { return sleep_ >> 1 & 1; }
    bool sleeps_deeply() const { return sleep_ >> 2 & 1; }
    bool events_by_pending() const { return sleep_ >> 4 & 1; } // SEVONPEND
    bool pending_is_event() const { return sleep_ >> 4 & 1; }
    bool aligns_stack() const { return configuration_ >> 9 & 1; }
    bool traps_unaligned() const { return configuration_ >> 3 & 1; }
    bool traps_division() const { return configuration_ >> 4 & 1; }
    bool has_fpu() const { return (access_ >> 20 & 15) == 15; }
    bool stacks_fpu() const { return floating_ >> 31; }
    bool stacks_lazily() const { return floating_ >> 30 & 1; }
    bool fault_enabled(unsigned exception) const;

    // Lazy stacking: space for the registers of the FPU is at an address, or filled.
    void reserve(std::uint32_t address);
    void fill() { floating_ &= ~1u; }
    bool reserved() const { return floating_ & 1; }
    std::uint32_t reserved_at() const { return floating_address_; }
    std::uint32_t floating_status() const { return floating_default_; }

    // State that a fault leaves in the registers.
    void set_fault(std::uint32_t configurable, std::uint32_t address);
    void set_hard_fault(std::uint32_t bits) { hard_ |= bits; }
    std::uint32_t configurable_fault() const { return configurable_; }
    std::uint32_t hard_fault_status() const { return hard_; }
    std::uint32_t fault_address() const { return bus_address_; }

  private:
    std::uint32_t state() const;
    void set_state(std::uint32_t value);
    std::uint32_t handlers() const;
    void set_handlers(std::uint32_t value);
    std::uint32_t bits_of(std::uint32_t address, bool (Nvic::*what)(unsigned) const) const;
    void set_bits(std::uint32_t address, std::uint32_t value, void (Nvic::*set)(unsigned, bool),
                  bool on);

    Nvic &nvic_;
    const Wiring wiring_;
    std::uint32_t vectors_, sleep_ = 0, configuration_ = 0x200, enabled_faults_ = 0;
    std::uint32_t configurable_ = 0, hard_ = 0, bus_address_ = 0, memory_address_ = 0;
    std::uint32_t access_ = 0, floating_ = 0xC000'0000, floating_address_ = 0;
    std::uint32_t floating_default_ = 0;
    std::uint32_t debug_ = 0, trace_ = 0x4000'0000;
    std::uint64_t counter_zero_ = 0; // CYCCNT is cycles since then
    std::uint32_t counter_ = 0;      // while it stands still
    std::map<std::uint32_t, std::uint32_t> kept_;
};

} // namespace twin::armv7m
