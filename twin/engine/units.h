// Twin time: one integer counts for every clock of the board.
//
// The unit is 1/6 ns at a PS reference of 33.333 MHz. All clocks here come from that one
// reference, so with the board preset's 33.330 MHz they keep their ratios and the unit is
// 100 ppm longer.
#pragma once

#include <cstdint>

namespace twin {

using Time = std::uint64_t;

inline constexpr Time never = ~Time{0};

inline constexpr Time cpu_cycle = 5;             // 1200 MHz
inline constexpr Time pl_tick = 24;              // 250 MHz, pl_clk0
inline constexpr Time apb_cycle = 60;            // 100 MHz, LPD_LSBUS
inline constexpr Time uart_ref_cycle = 60;       // 100 MHz, nominal 99.99 MHz
inline constexpr Time system_counter_cycle = 60; // 100 MHz, nominal 99.99 MHz
inline constexpr Time timestamp_cycle = 24;      // 250 MHz, of what the STM traces

// The pattern of CPU, PL and APB edges repeats after this time.
inline constexpr Time pattern_period = 120;

// Times at which nothing else can happen; the host's bytes enter on this grid.
inline constexpr Time link_grid = pattern_period;

// First point of {phase + k grid} that is not before t.
constexpr Time align_up(Time t, Time grid, Time phase = 0) {
    if (t <= phase)
        return phase;
    return phase + (t - phase + grid - 1) / grid * grid;
}

// t + delay, where never stays never.
constexpr Time later(Time t, Time delay) { return t > never - delay ? never : t + delay; }

} // namespace twin
