// One AArch64 core at EL3.
#pragma once

#include "cpu/a64/registers.h"
#include "cpu/a64/timing.h"
#include "cpu/unicorn_core.h"

#include <memory>
#include <vector>

namespace twin::a64 {

class SystemRegisters;

class Core : public UnicornCore {
  public:
    Core(unsigned number, Memory &memory, EventQueue &events, const CoreTimes &times,
         Time nominal_cycle, const std::vector<Device *> &devices, std::unique_ptr<Timing> timing);

    void attach(SystemRegisters &registers) { registers_ = &registers; }

    // Instructions in `code` that use FP registers are trapped as CPTR_EL3.TFP says: Unicorn does
    // not look at it. Before release().
    void trap_fp(const std::vector<Region> &code);

    bool masks_irq() const override;
    std::uint64_t stack_pointer() const override;

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
    // What an instruction needs that Unicorn does not do.
    enum class Word : std::uint8_t { plain, uses_fp, returns };
    // The instructions from `base` on.
    struct Code {
        std::uint64_t base;
        std::vector<Word> words;
    };

    void step(std::uint64_t address);
    void refuse_aarch32(std::uint64_t address) const;
    bool emulate_system_instruction(std::uint64_t address);

    friend struct Hooks;

    Timing *const timing_; // of the base, or null
    SystemRegisters *registers_ = nullptr;
    std::vector<Code> code_;
};

} // namespace twin::a64
