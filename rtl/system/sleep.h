// When a core's cycles change nothing and may be left out.
#pragma once

#include <cstdint>

namespace rtl {

// Cycles that an input may take from its rise to the fall of `asleep`: synchronisers, registers.
inline constexpr unsigned wakes_within = 8;

class Sleep {
  public:
    // A cycle of the core with these interrupt inputs was evaluated.
    void cycle(bool asleep, std::uint32_t inputs) {
        if (inputs & ~seen_)
            waking_ = wakes_within;
        else
            waking_ -= waking_ > 0;
        asleep_ = asleep ? asleep_ + 1 : 0;
        seen_ = inputs;
    }

    // Whether the next cycle with these inputs would change nothing. Two cycles asleep: then all
    // that was under way has settled.
    bool settled(std::uint32_t inputs) const {
        return asleep_ >= 2 && waking_ == 0 && inputs == seen_;
    }

  private:
    std::uint64_t asleep_ = 0; // cycles in a row until now
    std::uint32_t seen_ = 0;
    unsigned waking_ = 0; // cycles in which it may still wake
};

} // namespace rtl
