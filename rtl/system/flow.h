// What an instruction of RV32IMC does to the flow of a program.
#pragma once

#include "core/call_chain.h"

#include <cstdint>

namespace rtl {

// `word`: the instruction; of a short one the upper half is another's. x1 and x5 link (unprivileged
// architecture 20191213, table 2.1).
inline twin::CallChain::Instruction instruction(std::uint32_t pc, std::uint32_t word) {
    using twin::Flow;
    auto links = [](std::uint32_t number) { return number == 1 || number == 5; };
    std::uint32_t rd = word >> 7 & 31, rs1 = word >> 15 & 31;
    if ((word & 3) != 3) {
        bool jumps = (word & 0xE07F) == 0x8002 && rd != 0; // c.jr, c.jalr
        Flow flow = Flow::on;
        if ((word & 0xE003) == 0x2001 || (jumps && word & 0x1000)) // c.jal
            flow = Flow::call;
        else if (jumps && links(rd))
            flow = Flow::back;
        else if ((word & 0xFFFF) == 0x9002) // c.ebreak
            flow = Flow::trap;
        return {pc, 2, flow};
    }
    Flow flow = Flow::on;
    std::uint32_t opcode = word & 0x7F;
    if ((opcode == 0x6F || opcode == 0x67) && links(rd)) // jal, jalr
        flow = Flow::call;
    else if (opcode == 0x67 && links(rs1))
        flow = Flow::back;
    else if (word == 0x00000073 || word == 0x00100073) // ecall, ebreak
        flow = Flow::trap;
    else if (word == 0x30200073) // mret
        flow = Flow::from_trap;
    return {pc, 4, flow};
}

} // namespace rtl
