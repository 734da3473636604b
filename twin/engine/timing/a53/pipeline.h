// Issue in order, two a cycle: which instruction can go when, and when its result is there.
#pragma once

#include "core/units.h"
#include "timing/a53/decode.h"
#include "timing/a53/parameters.h"

#include <array>

namespace twin::a53 {

class Pipeline {
  public:
    explicit Pipeline(const Parameters &parameters)
        : parameters_(parameters), cycle_(parameters.place.cycle) {}

    void set_cycle(Time cycle) { cycle_ = cycle; }

    // First time, not before `earliest`, at which the operands of `it` are there and a slot and
    // its units are free.
    Time ready(const Instruction &it, Time earliest) const;

    // `it` issues at `at`, a time that ready() has returned or a later one.
    void issue(const Instruction &it, Time at);

    // The result of a load arrives at `at` in `reg`, ready for an ALU operand.
    void deliver(std::uint8_t reg, Time at);

    // The load/store unit takes nothing before `at`.
    void hold_memory_unit(Time at) { memory_free_ = at; }

  private:
    struct Register {
        Time late = 0;    // for a plain ALU operand
        Time address = 0; // for an address
    };

    const Parameters &parameters_;
    Time cycle_;
    std::array<Register, reg_count> registers_{};
    Time last_ = 0;      // time of the last issue
    unsigned slots_ = 0; // taken then
    unsigned units_ = 0; // taken then
    Time memory_free_ = 0;
    Time divider_free_ = 0;
};

} // namespace twin::a53
