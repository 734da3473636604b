// Periods of the clocks of the ZCU102's preset, in units of twin time.
#pragma once

#include "core/units.h"

#include <cstdint>

namespace twin::zynqmp {

inline constexpr Time cpu_cycle = 5;             // 1200 MHz
inline constexpr Time pl_tick = 24;              // 250 MHz, pl_clk0
inline constexpr Time apb_cycle = 60;            // 100 MHz, LPD_LSBUS
inline constexpr Time uart_ref_cycle = 60;       // 100 MHz, nominal 99.99 MHz
inline constexpr Time system_counter_cycle = 60; // 100 MHz, nominal 99.99 MHz
inline constexpr Time timestamp_cycle = 24;      // 250 MHz, of the STM's trace

inline constexpr std::uint64_t uart_ref_hz = 99'990'000;

// The pattern of CPU, PL and APB edges repeats after this time.
inline constexpr Time pattern_period = 120;

} // namespace twin::zynqmp
