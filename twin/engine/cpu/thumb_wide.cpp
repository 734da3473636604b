#include "cpu/thumb_wide.h"

#include <bit>

namespace twin::thumb {

namespace {

constexpr unsigned rn = 16, rt = 12, rd = 8, rm = 0; // where most of them are

void several(Instruction &it, std::uint32_t opcode) {
    unsigned mode = bits(opcode, 23, 2), base = bits(opcode, rn, 4);
    bool is_load = bits(opcode, 20, 1), writes_back = bits(opcode, 21, 1);
    if (mode == 0 || mode == 3) { // RFE, SRS
        access(it, is_load ? base : 13, 0, is_load);
        it.sources |= is_load ? 0 : link;
        it.words = 2;
        if (is_load)
            it.kind = Kind::exception_return;
    } else {
        access(it, base, opcode & 0xFFFF, is_load);
    }
    it.multiple = true;
    if (writes_back)
        it.results |= 1u << it.base;
}

void exclusive(Instruction &it, std::uint32_t opcode) {
    unsigned operation = bits(opcode, 4, 4), base = bits(opcode, rn, 4);
    bool is_load = bits(opcode, 20, 1), sized = bits(opcode, 23, 1);
    if (sized && operation <= 1) { // TBB, TBH
        it.address |= reg(opcode, rm);
        it.indexed = true;
        access(it, base, 0, true);
        it.words = 1;
        it.kind = Kind::table_branch;
        return;
    }
    if (sized && operation != 4 && operation != 5 && operation != 7) {
        it.kind = Kind::undefined;
        return;
    }
    std::uint32_t registers = reg(opcode, rt);
    if (sized && operation == 7)
        registers |= reg(opcode, rd);
    access(it, base, registers, is_load);
    if (!is_load)
        it.results |= reg(opcode, sized ? rm : rd);
}

void pair(Instruction &it, std::uint32_t opcode) {
    bool writes_back = bits(opcode, 21, 1), is_load = bits(opcode, 20, 1);
    access(it, bits(opcode, rn, 4), reg(opcode, rt) | reg(opcode, rd), is_load);
    it.words = 2;
    it.offset = static_cast<std::int32_t>(bits(opcode, 0, 8) * 4) * (bits(opcode, 23, 1) ? 1 : -1);
    if (writes_back)
        it.results |= reg(opcode, rn);
}

// With a second operand that is a register, which is shifted, or none; it is among the sources.
void data_processing(Instruction &it, std::uint32_t opcode) {
    unsigned operation = bits(opcode, 21, 4);
    bool sets = bits(opcode, 20, 1), discards = bits(opcode, rd, 4) == 15;
    bool by_one = (operation == 2 || operation == 3) && bits(opcode, rn, 4) == 15; // MOV, MVN
    bool compares =
        sets && discards && (operation == 0 || operation == 4 || operation == 8 || operation == 13);
    if (!by_one)
        it.sources |= reg(opcode, rn);
    if (operation == 10 || operation == 11) // with carry
        it.sources |= flags;
    if (sets && operation != 6)
        it.results |= flags;
    if (!compares)
        write(it, reg(opcode, rd), false);
}

void plain_immediate(Instruction &it, std::uint32_t opcode) {
    unsigned operation = bits(opcode, 20, 5);
    bool of_itself = operation == 12 || operation == 22; // MOVT, BFI and BFC
    bool reads = operation != 4 && operation != 12 && bits(opcode, rn, 4) != 15;
    if (of_itself)
        it.sources |= reg(opcode, rd);
    if (reads)
        it.sources |= reg(opcode, rn);
    it.results |= reg(opcode, rd);
}

void control(Instruction &it, std::uint32_t opcode) {
    switch (bits(opcode, 20, 7)) {
    case 0x38:
    case 0x39: // MSR
        it.kind = Kind::status;
        it.sources |= reg(opcode, rn);
        it.results |= flags;
        return;
    case 0x3A: // CPS, hints
        it.kind = bits(opcode, 8, 3) ? Kind::status : hint_kind(bits(opcode, 0, 8));
        return;
    case 0x3B: {
        unsigned operation = bits(opcode, 4, 4);
        it.kind = operation == 4 || operation == 5 ? Kind::barrier_data
                  : operation == 6                 ? Kind::barrier_fetch
                                                   : Kind::plain; // CLREX
        return;
    }
    case 0x3C: // BXJ
        it.sources |= reg(opcode, rn);
        it.kind = bits(opcode, rn, 4) == 14 ? Kind::ret : Kind::branch_to;
        return;
    case 0x3D: // SUBS PC
        it.sources |= link;
        it.kind = Kind::exception_return;
        return;
    case 0x3E:
    case 0x3F: // MRS
        it.kind = Kind::status;
        it.results |= reg(opcode, rd);
        return;
    default: // SMC, UDF
        it.kind = Kind::undefined;
    }
}

// B, BL and BLX of 25 bits.
std::int32_t far_offset(std::uint32_t opcode) {
    std::uint32_t sign = bits(opcode, 26, 1);
    std::uint32_t first = bits(opcode, 13, 1) ^ sign ^ 1, second = bits(opcode, 11, 1) ^ sign ^ 1;
    return signed_bits(sign << 24 | first << 23 | second << 22 | bits(opcode, 16, 10) << 12 |
                           bits(opcode, 0, 11) << 1,
                       25);
}

void branches(Instruction &it, std::uint32_t opcode) {
    bool links = bits(opcode, 14, 1), to_thumb = bits(opcode, 12, 1);
    if (links) {
        it.kind = Kind::call;
        it.results |= link;
        it.offset = far_offset(opcode);
    } else if (to_thumb) {
        it.kind = Kind::branch;
        it.offset = far_offset(opcode);
    } else if (bits(opcode, 23, 3) == 7) {
        control(it, opcode);
    } else {
        it.kind = Kind::branch_if;
        it.sources |= flags;
        it.offset = signed_bits(bits(opcode, 26, 1) << 20 | bits(opcode, 11, 1) << 19 |
                                    bits(opcode, 13, 1) << 18 | bits(opcode, 16, 6) << 12 |
                                    bits(opcode, 0, 11) << 1,
                                21);
    }
}

void single(Instruction &it, std::uint32_t opcode) {
    bool is_load = bits(opcode, 20, 1), word = bits(opcode, 21, 2) == 2;
    unsigned base = bits(opcode, rn, 4), size = bits(opcode, 21, 2);
    if (size == 3) {
        it.kind = Kind::undefined;
        return;
    }
    bool literal = is_load && base == 15, far = literal || bits(opcode, 23, 1);
    bool by_register = !far && bits(opcode, 6, 6) == 0,
         writes_back = !far && (opcode & 0x900) == 0x900;
    if (is_load && !word && bits(opcode, rt, 4) == 15) { // PLD, PLI
        it.kind = Kind::nothing;
        return;
    }
    if (by_register) {
        it.address |= reg(opcode, rm);
        it.indexed = true;
        it.shifts = bits(opcode, 4, 2);
    }
    if (literal)
        it.offset = static_cast<std::int32_t>(bits(opcode, 0, 12)) * (bits(opcode, 23, 1) ? 1 : -1);
    access(it, base, reg(opcode, rt), is_load);
    if (writes_back)
        it.results |= reg(opcode, rn);
}

void by_registers(Instruction &it, std::uint32_t opcode) {
    bool second_group = bits(opcode, 23, 1);
    unsigned operation = bits(opcode, 20, 3), other = bits(opcode, 4, 4);
    it.results |= reg(opcode, rd);
    if (!second_group && other == 0) { // shifts
        it.sources |= reg(opcode, rn);
        it.address |= reg(opcode, rm);
        it.shifts = true;
        it.results |= operation & 1 ? flags : 0;
        return;
    }
    it.sources |= reg(opcode, rm);
    bool extends = !second_group && (other & 8);
    bool of_one = second_group && (operation == 1 || operation == 3) && (other & 8);
    if (!of_one && !(extends && bits(opcode, rn, 4) == 15))
        it.sources |= reg(opcode, rn);
    bool selects = second_group && operation == 2 && other == 8;
    if (selects)
        it.sources |= flags;
}

void multiply(Instruction &it, std::uint32_t opcode) {
    it.kind = Kind::multiply;
    it.sources |= reg(opcode, rn) | reg(opcode, rm);
    if (bits(opcode, rt, 4) != 15)
        it.sources |= reg(opcode, rt);
    it.results |= reg(opcode, rd);
}

void multiply_long(Instruction &it, std::uint32_t opcode) {
    unsigned operation = bits(opcode, 20, 3);
    it.sources |= reg(opcode, rn) | reg(opcode, rm);
    it.results |= reg(opcode, rd);
    if (operation == 1 || operation == 3) {
        it.kind = Kind::divide;
        return;
    }
    it.kind = Kind::multiply_long;
    it.results |= reg(opcode, rt);
    if (operation >= 4) // accumulates
        it.sources |= it.results;
}

void floating_access(Instruction &it, std::uint32_t opcode) {
    bool is_load = bits(opcode, 20, 1);
    if ((opcode & 0xFFE00000) == 0xEC40'0000) { // VMOV of two
        it.kind = Kind::floating_move;
        (is_load ? it.results : it.sources) |= reg(opcode, rt) | reg(opcode, rn);
        return;
    }
    bool before = bits(opcode, 24, 1), writes_back = bits(opcode, 21, 1);
    it.multiple = !before || writes_back;
    access(it, bits(opcode, rn, 4), 0, is_load);
    bool twice = bits(opcode, 8, 1);
    it.words = static_cast<std::uint8_t>(it.multiple ? bits(opcode, 0, 8) : twice ? 2 : 1);
    if (it.multiple && writes_back)
        it.results |= reg(opcode, rn);
    if (it.base == 15)
        it.offset =
            static_cast<std::int32_t>(bits(opcode, 0, 8) * 4) * (bits(opcode, 23, 1) ? 1 : -1);
}

void floating_move(Instruction &it, std::uint32_t opcode) {
    bool from = bits(opcode, 20, 1), of_status = bits(opcode, 21, 3) == 7 && !bits(opcode, 8, 1);
    it.kind = Kind::floating_move;
    std::uint32_t mask = reg(opcode, rt);
    if (from && of_status && mask == counter) // VMRS APSR_nzcv
        mask = flags;
    (from ? it.results : it.sources) |= mask;
}

void floating_data(Instruction &it, std::uint32_t opcode) {
    unsigned operation = bits(opcode, 23, 1) << 2 | bits(opcode, 20, 2);
    it.kind = Kind::floating;
    switch (operation) {
    case 0:
    case 1:
    case 5:
    case 6:
        it.kind = Kind::floating_multiply_add;
        return;
    case 4:
        it.kind = Kind::floating_divide;
        return;
    case 7:
        if (bits(opcode, 16, 4) == 1 && bits(opcode, 6, 2) == 3) // VSQRT
            it.kind = Kind::floating_divide;
        return;
    default:
        return;
    }
}

void coprocessor(Instruction &it, std::uint32_t opcode) {
    bool of_fpu = bits(opcode, 9, 3) == 5, data = bits(opcode, 24, 2) == 2;
    bool advanced = bits(opcode, 28, 1) || bits(opcode, 24, 2) == 3; // SIMD, and second encodings
    if (of_fpu && !advanced) {
        it.is_floating = true;
        if (!data)
            floating_access(it, opcode);
        else if (bits(opcode, 4, 1))
            floating_move(it, opcode);
        else
            floating_data(it, opcode);
        return;
    }
    if (bits(opcode, 24, 2) == 3) {
        it.is_floating = true;
        it.kind = Kind::floating;
        return;
    }
    it.kind = Kind::coprocessor;
    if (data && bits(opcode, 4, 1)) {
        bool from = bits(opcode, 20, 1);
        std::uint32_t mask = reg(opcode, rt);
        (from ? it.results : it.sources) |= from && mask == counter ? flags : mask;
    }
}

} // namespace

void decode_wide(Instruction &it, std::uint32_t opcode) {
    if (bits(opcode, 26, 1) && bits(opcode, 27, 2) != 2)
        return coprocessor(it, opcode);
    switch (bits(opcode, 27, 2)) {
    case 1:
        if (bits(opcode, 25, 1)) {
            it.sources |= reg(opcode, rm);
            it.shifts = bits(opcode, 12, 3) || bits(opcode, 4, 4);
            return data_processing(it, opcode);
        }
        if (!bits(opcode, 22, 1))
            return several(it, opcode);
        if (bits(opcode, 24, 1) || bits(opcode, 21, 1))
            return pair(it, opcode);
        return exclusive(it, opcode);
    case 2:
        if (bits(opcode, 15, 1))
            return branches(it, opcode);
        return bits(opcode, 25, 1) ? plain_immediate(it, opcode) : data_processing(it, opcode);
    default:
        if (!bits(opcode, 25, 1)) {
            if (bits(opcode, 24, 1) && !bits(opcode, 20, 1)) { // element loads and stores of SIMD
                it.kind = Kind::floating;
                it.is_floating = true;
                return;
            }
            return single(it, opcode);
        }
        if (!bits(opcode, 24, 1))
            return by_registers(it, opcode);
        return bits(opcode, 23, 1) ? multiply_long(it, opcode) : multiply(it, opcode);
    }
}

} // namespace twin::thumb
