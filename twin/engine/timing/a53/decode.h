// A64 instructions as the issue stage sees them: registers read and written, and the unit that they
// need.
//
// Classes and latencies: GCC's pipeline description of the Cortex-A53, which Arm contributed
// (gcc/config/arm/cortex-a53.md), and LLVM's AArch64SchedA53.td. Of floating point and vectors,
// only loads and stores are modelled, by the memory unit and the memories; nothing waits for their
// data. The rest takes a slot and no time.
#pragma once

#include "cpu/a64/memory_operand.h"

#include <array>
#include <cstdint>

namespace twin::a53 {

enum class Kind : std::uint8_t {
    plain,
    load,
    store,
    branch,        // B
    branch_if,     // B.cond, CBZ, TBZ
    call,          // BL
    branch_to,     // BR
    call_to,       // BLR
    ret,           // RET
    eret,          // ERET
    system_access, // MRS, MSR
    barrier_data,  // DSB
    barrier_fetch, // ISB
    maintenance,   // DC, IC, TLBI
};

// When an operand is needed, from the latest to the earliest.
enum class Need : std::uint8_t {
    stored, // data of a store, flags of a branch
    late,   // plain ALU operand
    early,  // shifted or extended operand, multiplier, divider
    address,
};

// Units of which one instruction a cycle can have each.
enum Unit : std::uint8_t {
    unit_memory = 1,
    unit_branch = 2,
    unit_multiply = 4,
    unit_divide = 8,
    unit_shift = 16, // by a register
};

// Scoreboard entries: X0..X30, then these.
inline constexpr std::uint8_t reg_sp = 31;
inline constexpr std::uint8_t reg_flags = 32;
inline constexpr std::uint8_t reg_none = 33;
inline constexpr unsigned reg_count = 34;

struct Operand {
    std::uint8_t reg = reg_none;
    Need need = Need::late;
};

// How soon a result is there.
enum class Result : std::uint8_t {
    move,     // moves and shifts by an immediate: the same cycle
    alu,      // the next cycle
    load,     // memory; also the multiplier
    divide_w, // 32 bits
    divide_x, // 64 bits
};

struct Instruction {
    std::uint32_t opcode = 0;
    Kind kind = Kind::plain;
    Result result = Result::alu;
    std::uint8_t units = 0;
    std::uint8_t slots = 1;         // of the two in a cycle
    bool holds_memory_unit = false; // for a second cycle
    std::uint8_t sources = 0;
    std::uint8_t targets = 0; // general registers: the result
    std::uint8_t writeback = reg_none;
    bool sets_flags = false;
    bool vector = false; // a load or store of FP registers
    std::array<Operand, 4> source{};
    std::array<std::uint8_t, 2> target{reg_none, reg_none};
    a64::MemoryOperand memory;
};

Instruction decode(std::uint32_t opcode);

} // namespace twin::a53
