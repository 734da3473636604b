// Thumb instructions of 32 bits, and what both lengths share.
#pragma once

#include "cpu/thumb_instruction.h"

#include <cstdint>

namespace twin::thumb {

inline constexpr std::uint32_t flags = 1u << 16, link = 1u << 14, counter = 1u << 15;

constexpr std::uint32_t bits(std::uint32_t opcode, unsigned low, unsigned width) {
    return opcode >> low & ((1u << width) - 1);
}
constexpr std::uint32_t reg3(std::uint32_t opcode, unsigned low) {
    return 1u << bits(opcode, low, 3);
}
constexpr std::uint32_t reg(std::uint32_t opcode, unsigned low) {
    return 1u << bits(opcode, low, 4);
}
constexpr std::int32_t signed_bits(std::uint32_t value, unsigned width) {
    return static_cast<std::int32_t>(value << (32 - width)) >> (32 - width);
}

// It loads to or stores from `registers`, by the register `base`.
void access(Instruction &it, unsigned base, std::uint32_t registers, bool is_load);

// It writes `registers`, of which PC is a branch, or a return.
void write(Instruction &it, std::uint32_t registers, bool is_return);

// NOP, YIELD, WFE, WFI, SEV by their numbers.
Kind hint_kind(unsigned number);

void decode_wide(Instruction &it, std::uint32_t opcode);

} // namespace twin::thumb
