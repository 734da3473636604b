// Branch prediction: conditional history, indirect targets, return stack, and the one-entry cache
// of a branch's target instructions.
#pragma once

#include "core/units.h"
#include "timing/a53/decode.h"
#include "timing/a53/parameters.h"
#include "timing/a53/random.h"

#include <array>
#include <cstdint>
#include <vector>

namespace twin::a53 {

class Branches {
  public:
    Branches(const Parameters &parameters, Random random);

    enum class Outcome {
        straight,     // not taken, as predicted
        hot,          // taken, as predicted, its target instructions at hand
        taken,        // taken, as predicted
        mispredicted, // the pipeline is flushed
        unpredicted,  // never predicted: ERET
    };

    // A branch at `from` was followed by the instruction at `to`.
    Outcome resolve(Kind kind, std::uint64_t from, std::uint64_t to);

    // An exception is taken: the interrupted program's history says nothing about the following
    // code.
    void forget_history() { history_ = 0; }

  private:
    Outcome taken(std::uint64_t from);
    bool predicted_taken(std::uint64_t from, bool is_taken);

    // Sizes that the TRM gives (DDI 0500, program flow prediction).
    static constexpr unsigned indirect_targets = 256;
    static constexpr unsigned returns = 8;

    struct Target {
        std::uint64_t from = 0;
        std::uint64_t to = 0;
    };

    unsigned history_length_;
    std::vector<std::uint8_t> counters_; // two bits each
    std::uint32_t history_ = 0;
    std::array<Target, indirect_targets> targets_{};
    std::array<std::uint64_t, returns> return_stack_{};
    unsigned top_ = 0;
    std::uint64_t last_taken_ = 0; // the branch whose target instructions are at hand
};

} // namespace twin::a53
