// The timing of a Cortex-M4 and of the memories of an STM32F4: what docs/m4.md describes.
#pragma once

#include "core/memory.h"
#include "cpu/armv7m/timing.h"
#include "timing/m4/flash.h"
#include "timing/m4/parameters.h"

#include <cstdint>
#include <vector>

namespace twin::m4 {

// Where what is. A peripheral bus is reached by a bridge; one of its cycles takes several of the
// core.
struct Layout {
    struct Range {
        std::uint32_t base, size;
    };
    std::vector<Range> flash;
    struct Bridge {
        Range range;
        unsigned ratio;
    };
    std::vector<Bridge> bridges;
};

class Model : public armv7m::Timing {
  public:
    Model(const Parameters &parameters, Layout layout);

    Flash &flash() { return flash_; }
    void set_ratio(std::size_t bridge, unsigned ratio) { layout_.bridges[bridge].ratio = ratio; }

    std::uint64_t fetch(std::uint32_t pc, unsigned size, std::uint64_t cycle) override;
    void begin(const thumb::Instruction &it, std::uint32_t pc, bool executes,
               std::uint64_t cycle) override;
    std::uint64_t access(std::uint32_t address, unsigned size, bool store) override;
    std::uint64_t end(std::uint32_t next) override;
    std::uint64_t enter(std::uint64_t cycle, std::uint32_t stack, unsigned words,
                        std::uint32_t vector, std::uint32_t handler) override;
    std::uint64_t chain(std::uint64_t cycle, std::uint32_t vector, std::uint32_t handler) override;
    std::uint64_t late(std::uint64_t began, std::uint64_t cycle, std::uint32_t vector,
                       std::uint32_t handler) override;
    std::uint64_t late_until(std::uint64_t began) const override {
        return began + parameters_.late;
    }
    std::uint64_t leave(std::uint64_t cycle, std::uint32_t stack, unsigned words,
                        std::uint32_t pc) override;
    std::uint64_t save_lazily(std::uint64_t cycle, unsigned words) override;
    std::uint64_t wake(std::uint64_t cycle) override;
    void write_stats(std::ostream &out) const override;

  private:
    bool in_flash(std::uint32_t address) const;
    std::uint64_t waits(std::uint32_t address, bool store, std::uint64_t cycle);
    std::uint64_t base_cost() const;
    std::uint64_t start_handler(std::uint64_t cycle, std::uint32_t vector, std::uint32_t handler);
    void forget();

    const Parameters parameters_;
    Layout layout_;
    Flash flash_;

    // ---- the current instruction ----
    thumb::Instruction it_;
    std::uint32_t pc_ = 0;
    bool executes_ = false;
    std::uint64_t began_ = 0, extra_ = 0;
    unsigned accesses_ = 0;
    std::uint32_t block_ = 0; // of memory that it accesses
    // ---- the one before ----
    thumb::Kind before_ = thumb::Kind::plain;
    bool before_pipelines_ = false; // it was one load
    bool before_narrow_ = false;
    bool refills_ = false; // it was a branch that is taken
    std::uint32_t before_block_ = 0, before_results_ = 0;
};

} // namespace twin::m4
