// The model's view of an A32 or T32 instruction: operands, results, effect on the flow.
#pragma once

#include <cstdint>

namespace twin::a9 {

enum class Kind : std::uint8_t {
    plain,
    multiply,
    load,
    store,
    status,      // MRS, MSR, CPS
    coprocessor, // MRC, MCR
    barrier_data,
    barrier_fetch,
    if_then,
    // From here on branches.
    branch,
    branch_if,
    call,
    branch_to, // by a register or a load
    call_to,
    ret,
    exception_return, // never predicted
};

constexpr bool is_branch(Kind kind) { return kind >= Kind::branch; }

// Registers are bits; bit 16: the flags, bit 17: the condition that IT has read of them.
struct Instruction {
    std::uint32_t opcode = 0; // of Thumb: two halfwords as they are in memory
    std::uint8_t size = 4;    // bytes
    bool conditional = false;
    Kind kind = Kind::plain;
    std::uint32_t sources = 0; // data
    std::uint32_t address = 0; // operands of an address, or of a shift
    std::uint32_t results = 0; // without those that a load brings
    std::uint32_t loaded = 0;  // registers that it brings, lowest first
    std::uint8_t base = 16;    // register of the address; 16: none
    bool shifts = false;       // the second operand is shifted
};

Instruction decode(std::uint32_t opcode);
Instruction decode_thumb(std::uint32_t halfwords);

} // namespace twin::a9
