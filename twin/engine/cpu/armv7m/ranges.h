// Addresses that are the same in each Armv7-M core: Arm DDI 0403E, B3.1.
#pragma once

#include <cstdint>

namespace twin::armv7m {

inline constexpr std::uint32_t system_base = 0xE000'0000, system_size = 0x10'0000;
inline constexpr std::uint32_t memory_bits = 0x2200'0000, device_bits = 0x4200'0000,
                               bits_size = 0x0200'0000;

} // namespace twin::armv7m
