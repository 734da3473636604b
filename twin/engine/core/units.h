// Twin time: one integer counts for every clock of a board.
//
// The unit is 1/6 ns at a PS reference of 33.333 MHz. All clocks of a board come from that one
// reference, so with a board preset's 33.330 MHz they keep their ratios and the unit is 100 ppm
// longer. How long their periods are is the board's knowledge.
#pragma once

#include <cstdint>

namespace twin {

using Time = std::uint64_t;

inline constexpr Time never = ~Time{0};
inline constexpr Time per_ns = 6;

// First point of {phase + k grid} that is not before t.
constexpr Time align_up(Time t, Time grid, Time phase = 0) {
    if (t <= phase)
        return phase;
    return phase + (t - phase + grid - 1) / grid * grid;
}

// t + delay, where never stays never.
constexpr Time later(Time t, Time delay) { return t > never - delay ? never : t + delay; }

} // namespace twin
