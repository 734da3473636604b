// Bits of the registers of an Armv7-M core: xPSR, CONTROL, EXC_RETURN. Arm DDI 0403E, B1.4 and
// B1.5.
#pragma once

#include <cstdint>

namespace twin::armv7m {

inline constexpr std::uint32_t exception_mask = 0x1FF, thumb_bit = 1u << 24;
inline constexpr std::uint32_t aligned_bit = 1u << 9; // of a stacked one: SP was moved
inline constexpr std::uint32_t if_then_bits = 0x0600'FC00, flag_bits = 0xF80F0000;
inline constexpr std::uint32_t unprivileged = 1, process_stack = 2, floating_active = 4;
inline constexpr std::uint32_t return_to_process = 4, return_to_thread = 8;
inline constexpr std::uint32_t return_without_floating = 16, least_return = 0xFFFFFFE0;

// A stacked frame; the last word of one with the FPU's registers is reserved, and not accessed.
inline constexpr unsigned basic_words = 8, floating_words = 26;
inline constexpr unsigned accessed_words = floating_words - 1;

} // namespace twin::armv7m
