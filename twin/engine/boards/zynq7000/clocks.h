// Periods of the clocks of the ZedBoard's preset, in units of twin time. Those of the PL come from
// another PLL than those of the cores, but from the same crystal.
#pragma once

#include "core/units.h"

#include <cstdint>

namespace twin::zynq7000 {

inline constexpr Time cpu_cycle = 9;        // 666.67 MHz, CPU_6x4x
inline constexpr Time private_cycle = 18;   // 333.33 MHz, CPU_3x2x: GIC and timers of the cluster
inline constexpr Time apb_cycle = 54;       // 111.11 MHz, CPU_1x
inline constexpr Time pl_tick = 48;         // 125 MHz, FCLK_CLK0
inline constexpr Time uart_ref_cycle = 120; // 50 MHz

inline constexpr std::uint64_t uart_ref_hz = 50'000'000;

// The pattern of the edges of all of them repeats after this time.
inline constexpr Time pattern_period = 2160;

} // namespace twin::zynq7000
