#include "cpu/thumb.h"

#include "cpu/thumb_wide.h"

#include <bit>

namespace twin::thumb {

namespace {

constexpr std::uint32_t stack = 1u << 13;

void shift_add_subtract(Instruction &it, std::uint32_t opcode) {
    bool adds = bits(opcode, 11, 2) == 3, by_immediate = bits(opcode, 10, 1);
    it.sources |= reg3(opcode, 3);
    if (adds && !by_immediate)
        it.sources |= reg3(opcode, 6);
    it.shifts = !adds && bits(opcode, 6, 7); // else MOVS
    it.results |= reg3(opcode, 0) | flags;
}

void immediate(Instruction &it, std::uint32_t opcode) {
    unsigned operation = bits(opcode, 11, 2); // MOV, CMP, ADD, SUB
    if (operation != 0)
        it.sources |= reg3(opcode, 8);
    it.results |= flags | (operation != 1 ? reg3(opcode, 8) : 0);
}

void data_processing(Instruction &it, std::uint32_t opcode) {
    unsigned operation = bits(opcode, 6, 4);
    bool shifts = (operation >= 2 && operation <= 4) || operation == 7;
    bool with_carry = operation == 5 || operation == 6;
    bool compares = operation == 8 || operation == 10 || operation == 11;
    bool of_one = operation == 9 || operation == 15; // RSB, MVN
    (shifts ? it.address : it.sources) |= reg3(opcode, 3);
    if (!of_one)
        it.sources |= reg3(opcode, 0);
    if (with_carry)
        it.sources |= flags;
    it.results |= flags | (compares ? 0 : reg3(opcode, 0));
    it.shifts = shifts;
    if (operation == 13)
        it.kind = Kind::multiply;
}

void high_registers(Instruction &it, std::uint32_t opcode) {
    std::uint32_t second = reg(opcode, 3),
                  first = 1u << (bits(opcode, 0, 3) | bits(opcode, 7, 1) << 3);
    switch (bits(opcode, 8, 2)) {
    case 0: // ADD
        it.sources |= first | second;
        return write(it, first, false);
    case 1: // CMP
        it.sources |= first | second;
        it.results |= flags;
        return;
    case 2: // MOV
        it.sources |= second;
        return write(it, first, second == link);
    default: // BX, BLX
        it.sources |= second;
        it.kind = second == link ? Kind::ret : Kind::branch_to;
        if (bits(opcode, 7, 1)) {
            it.kind = Kind::call_to;
            it.results |= link;
        }
    }
}

void literal(Instruction &it, std::uint32_t opcode) {
    it.offset = static_cast<std::int32_t>(bits(opcode, 0, 8) * 4);
    access(it, 15, reg3(opcode, 8), true);
}

void by_register(Instruction &it, std::uint32_t opcode) {
    it.address |= reg3(opcode, 6);
    it.indexed = true;
    access(it, bits(opcode, 3, 3), reg3(opcode, 0), bits(opcode, 9, 3) >= 3);
}

void by_offset(Instruction &it, std::uint32_t opcode) {
    bool of_stack = opcode >> 12 == 9;
    unsigned base = of_stack ? 13 : bits(opcode, 3, 3);
    access(it, base, reg3(opcode, of_stack ? 8 : 0), bits(opcode, 11, 1));
}

void several(Instruction &it, unsigned base, std::uint32_t registers, bool is_load) {
    access(it, base, registers, is_load);
    it.multiple = true;
    if (!is_load || !(registers >> base & 1))
        it.results |= 1u << base;
}

void hint(Instruction &it, std::uint32_t opcode) {
    it.kind = bits(opcode, 0, 4) ? Kind::if_then : hint_kind(bits(opcode, 4, 4));
    if (it.kind == Kind::if_then)
        it.sources |= flags;
}

void miscellaneous(Instruction &it, std::uint32_t opcode) {
    switch (bits(opcode, 8, 4)) {
    case 0: // ADD, SUB of SP
        it.sources |= stack;
        it.results |= stack;
        return;
    case 1:
    case 3:
    case 9:
    case 11: // CBZ, CBNZ
        it.kind = Kind::branch_if;
        it.sources |= reg3(opcode, 0);
        it.offset = static_cast<std::int32_t>(bits(opcode, 9, 1) << 6 | bits(opcode, 3, 5) << 1);
        return;
    case 2:  // SXTH and others
    case 10: // REV and others
        it.sources |= reg3(opcode, 3);
        it.results |= reg3(opcode, 0);
        if (bits(opcode, 6, 6) == 0x2A)
            it = {.kind = Kind::undefined}; // HLT
        return;
    case 4:
    case 5: // PUSH
        return several(it, 13, bits(opcode, 0, 8) | bits(opcode, 8, 1) << 14, false);
    case 6: // SETEND, CPS
        it.kind =
            bits(opcode, 5, 3) == 3 || bits(opcode, 4, 4) == 5 ? Kind::status : Kind::undefined;
        return;
    case 12:
    case 13: // POP
        return several(it, 13, bits(opcode, 0, 8) | bits(opcode, 8, 1) << 15, true);
    case 14:
        it.kind = Kind::breakpoint;
        return;
    case 15:
        return hint(it, opcode);
    default:
        it.kind = Kind::undefined;
    }
}

void conditional_branch(Instruction &it, std::uint32_t opcode) {
    unsigned condition = bits(opcode, 8, 4);
    if (condition >= 14) {
        it.kind = condition == 15 ? Kind::supervisor : Kind::undefined;
        return;
    }
    it.kind = Kind::branch_if;
    it.sources |= flags;
    it.offset = signed_bits(opcode << 1, 9);
}

void narrow(Instruction &it, std::uint32_t opcode) {
    switch (opcode >> 12) {
    case 0:
    case 1:
        return shift_add_subtract(it, opcode);
    case 2:
    case 3:
        return immediate(it, opcode);
    case 4:
        if (bits(opcode, 11, 1))
            return literal(it, opcode);
        return bits(opcode, 10, 1) ? high_registers(it, opcode) : data_processing(it, opcode);
    case 5:
        return by_register(it, opcode);
    case 6:
    case 7:
    case 8:
    case 9:
        return by_offset(it, opcode);
    case 10: // ADR, ADD to SP
        it.sources |= bits(opcode, 11, 1) ? stack : 0;
        it.results |= reg3(opcode, 8);
        return;
    case 11:
        return miscellaneous(it, opcode);
    case 12:
        return several(it, bits(opcode, 8, 3), bits(opcode, 0, 8), bits(opcode, 11, 1));
    case 13:
        return conditional_branch(it, opcode);
    default:
        it.kind = Kind::branch;
        it.offset = signed_bits(opcode << 1, 12);
    }
}

} // namespace

void access(Instruction &it, unsigned base, std::uint32_t registers, bool is_load) {
    it.base = static_cast<std::uint8_t>(base);
    if (base != 15)
        it.address |= 1u << base;
    it.words = static_cast<std::uint8_t>(std::popcount(registers));
    it.kind = is_load ? Kind::load : Kind::store;
    (is_load ? it.loaded : it.sources) |= registers;
    if (it.loaded & counter)
        it.kind = base == 13 ? Kind::ret : Kind::branch_to;
}

void write(Instruction &it, std::uint32_t registers, bool is_return) {
    it.results |= registers & ~counter;
    if (registers & counter)
        it.kind = is_return ? Kind::ret : Kind::branch_to;
}

Kind hint_kind(unsigned number) {
    switch (number) {
    case 2:
        return Kind::wait_event;
    case 3:
        return Kind::wait;
    case 4:
        return Kind::send_event;
    default:
        return Kind::nothing;
    }
}

Instruction decode(std::uint16_t first, std::uint16_t second) {
    Instruction it;
    if (is_wide(first)) {
        it.opcode = static_cast<std::uint32_t>(first) << 16 | second;
        it.size = 4;
        decode_wide(it, it.opcode);
    } else {
        narrow(it, first);
        it.opcode = first;
    }
    return it;
}

Flow flow(const Instruction &it) {
    switch (it.kind) {
    case Kind::call:
    case Kind::call_to:
        return Flow::call;
    case Kind::ret:
        return Flow::back;
    case Kind::exception_return:
        return Flow::from_trap;
    default:
        return Flow::on;
    }
}

} // namespace twin::thumb
