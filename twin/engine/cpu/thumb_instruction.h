// Thumb instructions (T32) of the A and M profiles: operands, results, accesses to memory, and
// effects on the flow of a program. Arm DDI 0406C and DDI 0403E, A5 and A6.
#pragma once

#include <cstdint>

namespace twin::thumb {

enum class Kind : std::uint8_t {
    plain,
    multiply,      // 32 bits
    multiply_long, // 64 bits
    divide,
    load,
    store,
    status,        // MRS, MSR, CPS
    if_then,       // IT
    nothing,       // NOP, YIELD, PLD
    wait,          // WFI
    wait_event,    // WFE
    send_event,    // SEV
    barrier_data,  // DSB, DMB
    barrier_fetch, // ISB
    supervisor,    // SVC
    breakpoint,
    undefined,     // permanently, or not known here
    coprocessor,   // MRC, MCR and the like, of another one than the FPU
    floating,      // an FPU instruction other than the next ones
    floating_move, // between the FPU and other registers
    floating_multiply_add,
    floating_divide, // VDIV, VSQRT
    // From here on branches.
    branch,
    branch_if, // by a condition, CBZ and CBNZ included
    call,
    branch_to, // by a register or a load
    table_branch,
    call_to,
    ret,
    exception_return, // of the A profile: SUBS PC, RFE
};

constexpr bool is_branch(Kind kind) { return kind >= Kind::branch; }

// Registers are bits; bit 16: the flags. Those of the FPU are not among them.
struct Instruction {
    std::uint32_t opcode = 0; // of 32 bits: the first halfword is the upper one
    std::uint8_t size = 2;    // bytes
    Kind kind = Kind::plain;
    std::uint32_t sources = 0; // data
    std::uint32_t address = 0; // operands of an address, or of a shift
    std::uint32_t results = 0; // without those that a load brings
    std::uint32_t loaded = 0;  // registers that it brings, lowest first
    std::uint8_t base = 16;    // register of the address, 15: literal; 16: no access
    std::uint8_t words = 0;    // loaded or stored, one each for a byte or halfword
    bool multiple = false;     // LDM, STM, PUSH, POP, VLDM, VSTM
    bool indexed = false;      // the offset is a register
    bool shifts = false;       // the second operand is shifted
    bool is_floating = false;  // uses the FPU
    std::int32_t offset = 0;   // of a direct branch or a literal, from the PC that it reads: its
                               // address + 4, word aligned for a literal and a call of ARM code
};

} // namespace twin::thumb
