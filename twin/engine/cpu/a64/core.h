// One AArch64 core: EL3 to EL0, without stage 2 of translation.
#pragma once

#include "cpu/a64/registers.h"
#include "cpu/a64/timing.h"
#include "cpu/a64/translation.h"
#include "cpu/unicorn_core.h"

#include <array>
#include <memory>
#include <optional>
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

    // Where it begins, if not at EL3: below it, as firmware there hands over, with interrupts to
    // that level and no handler of SMC and, from EL1, HVC. `x0`: the argument that it passes on.
    // Before release().
    struct HandOver {
        unsigned level;
        std::uint64_t x0;
    };
    void begin_at(const HandOver &hand_over) { hand_over_ = hand_over; }

    bool masks_irq() const override;
    std::uint64_t stack_pointer() const override;

  protected:
    void reset_state() override;
    unsigned takeable_vector() const override;
    void take(unsigned vector, std::uint64_t return_address) override;
    void handle_exception(unsigned number) override;
    void handle_abort(Reach reach, std::uint64_t page, std::uint32_t status) override;
    Translation translate(std::uint64_t address, Reach reach) const override;
    bool is_secure() const override;
    Flow flow_of(std::uint32_t opcode) const override;
    std::string name_of(std::uint32_t opcode) const override;
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
    bool traps_fp() const;
    // Bits of SCR_EL3 and HCR_EL2 that route an interrupt.
    struct Routing {
        unsigned scr_bit, hcr_bit;
    };
    static constexpr Routing irq_routing{1, 4}, fiq_routing{2, 3};
    unsigned taken_at(unsigned level, bool masked, const Routing &routing) const;
    unsigned target_of_exception() const;
    void raise_to(unsigned level, std::uint32_t syndrome, std::uint64_t address,
                  std::uint64_t return_address, Cause cause);
    const Regime &regime(unsigned level) const;
    bool emulate_system_instruction(std::uint64_t address);

    friend struct Hooks;

    Timing *const timing_; // of the base, or null
    SystemRegisters *registers_ = nullptr;
    std::vector<Code> code_;
    HandOver hand_over_{3, 0};
    mutable std::array<std::optional<Regime>, 4> regimes_; // by level, as last read
};

} // namespace twin::a64
