// Branch prediction of the Cortex-A9: a global history, a cache of branch targets, a return stack.
// A taken branch that the cache of targets does not know is not predicted.
#pragma once

#include "timing/a9/decode.h"
#include "timing/a9/parameters.h"

#include <array>
#include <cstdint>
#include <vector>

namespace twin::a9 {

class Branches {
  public:
    explicit Branches(const Parameters &parameters);

    // A branch at `from` was followed by the instruction at `to`. Was that predicted?
    bool predicts(const Instruction &branch, std::uint64_t from, std::uint64_t to);

    // Invalidation: nothing is known, and conditional branches are held for not taken.
    void clear();

  private:
    static constexpr unsigned returns = 8;

    struct Target {
        std::uint64_t from = 1; // odd: of no branch
        std::uint64_t to = 0;
    };

    bool knows(std::uint64_t from, std::uint64_t to);

    std::uint32_t history_mask_;
    std::vector<std::uint8_t> counters_; // two bits each
    std::uint32_t history_ = 0;
    std::vector<Target> targets_;
    std::array<std::uint64_t, returns> return_stack_{};
    unsigned top_ = 0;
};

} // namespace twin::a9
