// One ARMv7-A core of a Cortex-A9, in the secure state, with ARM and Thumb instructions.
//
// Unicorn takes SCR.NS for set at the start, has no hook for accesses to coprocessors, counts no
// cycles, calls WFE undefined, and has caches of 16 KB: the hook that counts instructions corrects
// all of that, one by one, and also which of the two instruction sets is in use, which Unicorn does
// not report. An access that is not aligned does not fault while translation is off, as it would on
// the core.
//
// Unicorn does not stop within an IT block, has no hooks for instructions of one whose condition
// does not hold, and puts ITSTATE back for each access within it; if a branch ends the block, it
// does not even stop in A32 code that it translates next. So interrupts wait for the end of a
// block, and branches and what is modelled here are executed outside of it, if they are.
#pragma once

#include "cpu/a32/registers.h"
#include "cpu/a32/timing.h"
#include "cpu/a32/translation.h"
#include "cpu/unicorn_core.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace twin::a32 {

class Coprocessor;

class Core : public UnicornCore {
  public:
    Core(unsigned number, Memory &memory, EventQueue &events, const CoreTimes &times,
         Time nominal_cycle, const std::vector<Device *> &devices, std::unique_ptr<Timing> timing);

    void attach(Coprocessor &coprocessor) { coprocessor_ = &coprocessor; }

    // r0 when it leaves reset. Before release().
    void begin_with(std::uint32_t argument) { argument_ = argument; }

    // Called at each SEV.
    void attach_event(std::function<void(Time)> event) { event_ = std::move(event); }

    bool masks_irq() const override;
    std::uint64_t stack_pointer() const override { return general_register(13); }
    unsigned instruction_bytes(std::uint64_t pc) const override;

  protected:
    void reset_state() override;
    unsigned takeable_vector() const override;
    void take(unsigned vector, std::uint64_t return_address) override;
    void handle_exception(unsigned number) override;
    void handle_abort(Reach reach, std::uint64_t page, std::uint32_t status) override;
    Translation translate(std::uint64_t address, Reach reach) const override;
    std::uint64_t start_address() const override;
    void begin_access() override;
    Flow flow_of(std::uint32_t opcode) const override;
    std::string name_of(std::uint32_t opcode) const override;
    bool is_wfi(std::uint32_t opcode) const override;
    bool is_branch_to_self(std::uint32_t opcode) const override;
    bool is_barrier(std::uint32_t opcode) const override;
    std::uint64_t general_register(unsigned index) const override;
    void dump_registers(std::ostream &out) const override;

  private:
    std::uint32_t fetched(std::uint64_t address);
    void step(std::uint64_t address);
    void step_thumb(std::uint64_t address, std::uint32_t halfwords);
    void look_at_set(std::uint64_t address);
    bool continue_block(std::uint64_t address);
    void emulate_block(std::uint64_t address, unsigned instructions);
    unsigned plain_instructions(std::uint64_t address) const;
    bool executes(std::uint32_t opcode) const;
    void hint(std::uint64_t address, unsigned number, bool executed);
    void access_coprocessor(std::uint64_t address, std::uint32_t opcode);
    void skip(std::uint64_t address);
    void take_to(std::uint32_t mode, unsigned vector, std::uint32_t link, unsigned if_then);
    std::optional<std::uint32_t> operand(std::uint64_t pc) const;

    friend struct Hooks;

    std::uint32_t argument_ = 0;
    mutable std::optional<Regime> regime_; // as last read
    std::uint64_t written_ = 0;            // the last MCR, counted as instructions()
    std::uint64_t code_page_ = 1;          // of code_; odd: none
    const std::uint8_t *code_ = nullptr;
    bool thumb_ = false;         // the current instruction is Thumb
    bool may_switch_ = true;     // the one before it may have changed that
    bool returned_ = false;      // it was a return from an exception
    unsigned if_then_ = 0;       // ITSTATE in front of the next instruction
    unsigned began_if_then_ = 0; // the same of the current one
    std::uint64_t in_block_ = 0; // the next instruction of an IT block
    unsigned emulated_ = 0;      // instructions from it on that Unicorn executes in such a block
    Timing *const timing_;       // of the base, or null
    Coprocessor *coprocessor_ = nullptr;
    std::function<void(Time)> event_ = [](Time) {};
};

} // namespace twin::a32
