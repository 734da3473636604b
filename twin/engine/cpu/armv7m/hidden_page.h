// Code for the emulator alone.
#pragma once

#include <cstdint>

namespace twin::armv7m {

// A page that no program sees, for the one instruction that Unicorn has no other way to make.
inline constexpr std::uint32_t hidden_page = 0x0FFF'F000;
inline constexpr std::uint16_t clrex[] = {0xF3BF, 0x8F2F, 0xE7FE};

} // namespace twin::armv7m
