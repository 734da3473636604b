// One ARMv7-A core of a Cortex-A9, in the secure state. ARM instructions only: Thumb stops the
// engine.
//
// Unicorn takes SCR.NS for set at the start, has no hook for accesses to coprocessors, counts no
// cycles, calls WFE undefined, and has caches of 16 KB: all of that is mended here, instruction by
// instruction, in the hook that counts them. An access that is not aligned does not fault while
// translation is off, as it would on the core.
#pragma once

#include "cpu/a32/registers.h"
#include "cpu/a32/timing.h"
#include "cpu/unicorn_core.h"

#include <functional>
#include <memory>
#include <vector>

namespace twin::a32 {

class Coprocessor;

class Core : public UnicornCore {
  public:
    Core(unsigned number, Memory &memory, EventQueue &events, const CoreTimes &times,
         Time nominal_cycle, const std::vector<Device *> &devices, std::unique_ptr<Timing> timing);

    void attach(Coprocessor &coprocessor) { coprocessor_ = &coprocessor; }

    // Called at each SEV.
    void attach_event(std::function<void(Time)> event) { event_ = std::move(event); }

    bool masks_irq() const override;
    std::uint64_t stack_pointer() const override { return general_register(13); }

  protected:
    void reset_state() override;
    unsigned takeable_vector() const override;
    void take(unsigned vector, std::uint64_t return_address) override;
    void handle_exception(unsigned number) override;
    Flow flow_of(std::uint32_t opcode) const override;
    bool is_wfi(std::uint32_t opcode) const override;
    bool is_branch_to_self(std::uint32_t opcode) const override;
    bool is_barrier(std::uint32_t opcode) const override;
    std::uint64_t general_register(unsigned index) const override;
    void dump_registers(std::ostream &out) const override;

  private:
    std::uint32_t fetched(std::uint64_t address);
    void step(std::uint64_t address);
    void special(std::uint64_t address, std::uint32_t opcode);
    void access_coprocessor(std::uint64_t address, std::uint32_t opcode);
    void skip(std::uint64_t address);

    friend struct Hooks;

    const std::vector<Region> &memory_;
    const Region *last_fetched_;
    Timing *const timing_; // of the base, or null
    Coprocessor *coprocessor_ = nullptr;
    std::function<void(Time)> event_ = [](Time) {};
};

} // namespace twin::a32
