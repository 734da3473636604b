// Reads Thumb instructions.
#pragma once

#include "core/call_chain.h"
#include "cpu/thumb_instruction.h"

#include <cstdint>

namespace twin::thumb {

// Whether the halfword begins an instruction of 32 bits.
constexpr bool is_wide(std::uint32_t first) { return (first & 0xF800) >= 0xE800; }

// `second`: the halfword after it, for one of 32 bits.
Instruction decode(std::uint16_t first, std::uint16_t second);

// Its effect on the flow of a program, whatever its condition.
Flow flow(const Instruction &it);

} // namespace twin::thumb
