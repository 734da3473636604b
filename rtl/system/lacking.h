// Why no core here executes an instruction: they take RV32IMC with Zicsr.
#pragma once

#include <cstdint>
#include <string>

namespace rtl {

// `word`: the instruction; of a short one the upper half is another's. Returns what follows
// "which", or an empty string.
inline std::string lacking(std::uint32_t word) {
    std::uint32_t opcode = word & 0x7F, middle = word >> 12 & 7;
    if ((word & 0xFFFF) == 0)
        return "is zeros, no instruction";
    if ((word & 3) != 3) { // c.fld, c.flw, and what stores or uses the stack like them
        bool loads_or_stores = (word & 3) != 1 && (word >> 13 & 1);
        return loads_or_stores ? "needs floating point" : "";
    }
    switch (opcode) {
    case 0x2F:
        return "needs the A extension";
    case 0x07:
    case 0x27:
        return middle >= 2 && middle <= 4 ? "needs floating point" : "needs the V extension";
    case 0x43:
    case 0x47:
    case 0x4B:
    case 0x4F:
    case 0x53:
        return "needs floating point";
    case 0x57:
        return "needs the V extension";
    default:
        break;
    }
    if (opcode != 0x73)
        return "";
    std::uint32_t csr = word >> 20;
    if (middle == 0)
        return word == 0x10200073 || (word & 0xFE007FFF) == 0x12000073 ? "needs S mode" : "";
    if (csr == 0xC01 || csr == 0xC81)
        return "needs the CSR time (mtime of the CLINT has the same value)";
    if (csr >> 8 == 1)
        return "needs S mode";
    return csr <= 3 ? "needs floating point" : "";
}

// Whether the instruction after this one may be decoded and not executed.
inline bool may_jump(std::uint32_t word) {
    unsigned funct3 = word >> 13 & 7;
    switch (word & 3) {
    case 0:
        return false;
    case 1:
        return funct3 == 1 || funct3 >= 5; // c.jal, c.j, c.beqz, c.bnez
    case 2:
        return funct3 == 4 && !(word >> 2 & 31); // c.jr, c.jalr
    default:
        constexpr std::uint32_t mret = 0x30200073;
        std::uint32_t opcode = word & 0x7F;
        return opcode == 0x63 || opcode == 0x67 || opcode == 0x6F || word == mret;
    }
}

} // namespace rtl
