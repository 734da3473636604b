#include "timing/a9/decode.h"

#include "cpu/thumb.h"

namespace twin::a9 {

namespace {

constexpr std::uint32_t flags = 1u << 16, chosen = 1u << 17, link = 1u << 14, counter = 1u << 15;

constexpr std::uint32_t bits(std::uint32_t opcode, unsigned low, unsigned width) {
    return opcode >> low & ((1u << width) - 1);
}
constexpr std::uint32_t reg(std::uint32_t opcode, unsigned low) {
    return 1u << bits(opcode, low, 4);
}

// A write to PC: how it goes on. Taking it from LR or from the call stack is a return.
Kind flow_of(bool is_return) { return is_return ? Kind::ret : Kind::branch_to; }

void data_processing(Instruction &it, std::uint32_t opcode) {
    unsigned operation = bits(opcode, 21, 4);
    bool sets = bits(opcode, 20, 1), immediate = bits(opcode, 25, 1);
    bool compares = operation >= 8 && operation <= 11, moves = operation == 13 || operation == 15;
    if (!moves)
        it.sources |= reg(opcode, 16);
    if (!immediate) {
        bool by_register = bits(opcode, 4, 1);
        it.shifts = by_register || bits(opcode, 5, 7); // kind or amount of shift
        it.sources |= reg(opcode, 0);
        if (by_register)
            it.address |= reg(opcode, 8);
    }
    if (operation >= 5 && operation <= 7) // with carry
        it.sources |= flags;
    if (!compares)
        it.results |= reg(opcode, 12);
    if (sets)
        it.results |= flags;
    if (it.results & counter) {
        it.results &= ~counter;
        it.kind = sets ? Kind::exception_return : flow_of(moves && it.sources == link);
    }
}

void multiply(Instruction &it, std::uint32_t opcode) {
    it.kind = Kind::multiply;
    it.sources |= reg(opcode, 0) | reg(opcode, 8);
    it.results |= reg(opcode, 16);
    if (bits(opcode, 23, 1)) // 64 bits
        it.results |= reg(opcode, 12);
    if (bits(opcode, 21, 1)) // accumulates
        it.sources |= bits(opcode, 23, 1) ? it.results : reg(opcode, 12);
    if (bits(opcode, 20, 1))
        it.results |= flags;
}

// Base, offset and write-back of a single access.
void addressing(Instruction &it, std::uint32_t opcode, bool by_register) {
    bool before = bits(opcode, 24, 1), writes_back = bits(opcode, 21, 1) || !before;
    it.base = static_cast<std::uint8_t>(bits(opcode, 16, 4));
    it.address |= reg(opcode, 16);
    if (by_register)
        it.address |= reg(opcode, 0);
    if (writes_back)
        it.results |= reg(opcode, 16);
}

void transfer(Instruction &it, std::uint32_t registers, bool is_load) {
    if (is_load) {
        it.kind = Kind::load;
        it.loaded = registers;
    } else {
        it.kind = Kind::store;
        it.sources |= registers;
    }
}

void extra_access(Instruction &it, std::uint32_t opcode) {
    unsigned kind = bits(opcode, 5, 2);
    bool is_load = bits(opcode, 20, 1), pair = !is_load && kind >= 2;
    addressing(it, opcode, !bits(opcode, 22, 1));
    std::uint32_t registers = reg(opcode, 12) * (pair ? 3 : 1);
    transfer(it, registers, is_load || (pair && kind == 2));
}

void exclusive(Instruction &it, std::uint32_t opcode) {
    it.base = static_cast<std::uint8_t>(bits(opcode, 16, 4));
    it.address |= reg(opcode, 16);
    if (bits(opcode, 20, 1)) {
        transfer(it, reg(opcode, 12), true);
    } else {
        transfer(it, reg(opcode, 0), false);
        it.results |= reg(opcode, 12);
    }
}

void miscellaneous(Instruction &it, std::uint32_t opcode) {
    unsigned operation = bits(opcode, 4, 4);
    switch (operation) {
    case 1:
        if (bits(opcode, 21, 2) == 1) { // BX
            it.sources |= reg(opcode, 0);
            it.kind = flow_of(it.sources == link);
        } else { // CLZ
            it.sources |= reg(opcode, 0);
            it.results |= reg(opcode, 12);
        }
        return;
    case 3: // BLX
        it.sources |= reg(opcode, 0);
        it.results |= link;
        it.kind = Kind::call_to;
        return;
    case 0:
        it.kind = Kind::status;
        if (bits(opcode, 21, 1))
            it.sources |= reg(opcode, 0);
        else
            it.results |= reg(opcode, 12);
        return;
    default: // saturating arithmetic, halfword multiplies, SMC
        it.sources |= reg(opcode, 0) | reg(opcode, 8) | reg(opcode, 16);
        it.results |= reg(opcode, 12);
    }
}

void single_access(Instruction &it, std::uint32_t opcode) {
    addressing(it, opcode, bits(opcode, 25, 1));
    bool is_load = bits(opcode, 20, 1);
    transfer(it, reg(opcode, 12), is_load);
    if (it.loaded & counter)
        it.kind = flow_of(it.base == 13);
}

void multiple_access(Instruction &it, std::uint32_t opcode) {
    it.base = static_cast<std::uint8_t>(bits(opcode, 16, 4));
    it.address |= reg(opcode, 16);
    if (bits(opcode, 21, 1))
        it.results |= reg(opcode, 16);
    transfer(it, opcode & 0xFFFF, bits(opcode, 20, 1));
    if (it.loaded & counter)
        it.kind = bits(opcode, 22, 1) ? Kind::exception_return : flow_of(it.base == 13);
}

void unconditional(Instruction &it, std::uint32_t opcode) {
    if ((opcode & 0xFE500000) == 0xF8100000) { // RFE
        it.base = static_cast<std::uint8_t>(bits(opcode, 16, 4));
        it.address |= reg(opcode, 16);
        it.kind = Kind::exception_return;
    } else if ((opcode & 0xFE5F0000) == 0xF84D0000) { // SRS
        it.kind = Kind::store;
        it.sources |= link;
    } else if ((opcode & 0xFFF10020) == 0xF1000000) { // CPS
        it.kind = Kind::status;
    } else if ((opcode & ~0xFFu) == 0xF57FF000) {
        unsigned which = bits(opcode, 4, 4);
        it.kind = which == 4 ? Kind::barrier_data : which == 6 ? Kind::barrier_fetch : Kind::plain;
    } else if ((opcode & 0xFE000000) == 0xFA000000) { // BLX
        it.results |= link;
        it.kind = Kind::call;
    }
}

Kind kind_of(thumb::Kind kind) {
    switch (kind) {
    case thumb::Kind::multiply:
    case thumb::Kind::multiply_long:
        return Kind::multiply;
    case thumb::Kind::load:
        return Kind::load;
    case thumb::Kind::store:
        return Kind::store;
    case thumb::Kind::status:
        return Kind::status;
    case thumb::Kind::coprocessor:
        return Kind::coprocessor;
    case thumb::Kind::barrier_data:
        return Kind::barrier_data;
    case thumb::Kind::barrier_fetch:
        return Kind::barrier_fetch;
    case thumb::Kind::if_then:
        return Kind::if_then;
    case thumb::Kind::branch:
        return Kind::branch;
    case thumb::Kind::branch_if:
        return Kind::branch_if;
    case thumb::Kind::call:
        return Kind::call;
    case thumb::Kind::branch_to:
    case thumb::Kind::table_branch:
        return Kind::branch_to;
    case thumb::Kind::call_to:
        return Kind::call_to;
    case thumb::Kind::ret:
        return Kind::ret;
    case thumb::Kind::exception_return:
        return Kind::exception_return;
    default:
        return Kind::plain;
    }
}

} // namespace

// In an IT block any of them may be passed by.
Instruction decode_thumb(std::uint32_t halfwords) {
    auto it = thumb::decode(static_cast<std::uint16_t>(halfwords),
                            static_cast<std::uint16_t>(halfwords >> 16));
    bool reads_flags = it.kind == thumb::Kind::if_then;
    return {.opcode = halfwords,
            .size = it.size,
            .conditional = true,
            .kind = kind_of(it.kind),
            .sources = it.sources | (reads_flags ? flags : chosen),
            .address = it.address,
            .results = it.results | (reads_flags ? chosen : 0),
            .loaded = it.loaded,
            .base = it.base,
            .shifts = it.shifts};
}

Instruction decode(std::uint32_t opcode) {
    Instruction it;
    it.opcode = opcode;
    unsigned condition = opcode >> 28;
    it.conditional = condition != 14;
    if (condition == 15) {
        unconditional(it, opcode);
        return it;
    }
    if (condition != 14)
        it.sources |= flags;
    bool fourth = bits(opcode, 4, 1), seventh = bits(opcode, 7, 1);
    bool special = bits(opcode, 23, 2) == 2 && !bits(opcode, 20, 1);
    switch (bits(opcode, 25, 3)) {
    case 0:
        if (fourth && seventh) {
            if (bits(opcode, 5, 2))
                extra_access(it, opcode);
            else
                bits(opcode, 24, 1) ? exclusive(it, opcode) : multiply(it, opcode);
        } else {
            special ? miscellaneous(it, opcode) : data_processing(it, opcode);
        }
        break;
    case 1:
        if (!special) {
            data_processing(it, opcode);
        } else if (bits(opcode, 21, 1)) {
            if (bits(opcode, 16, 4))
                it.kind = Kind::status; // MSR; without a field it is a hint
        } else {                        // MOVW, MOVT
            if (bits(opcode, 22, 1))
                it.sources |= reg(opcode, 12);
            it.results |= reg(opcode, 12);
        }
        break;
    case 2:
        single_access(it, opcode);
        break;
    case 3:
        if (fourth) { // media: the operands that most of them have
            it.sources |= reg(opcode, 0);
            it.results |= reg(opcode, 12);
        } else {
            single_access(it, opcode);
        }
        break;
    case 4:
        multiple_access(it, opcode);
        break;
    case 5:
        it.kind = condition != 14 ? Kind::branch_if : Kind::branch;
        if (bits(opcode, 24, 1)) {
            it.kind = Kind::call;
            it.results |= link;
        }
        break;
    case 7:
        if (!bits(opcode, 24, 1) && fourth) {
            it.kind = Kind::coprocessor;
            (bits(opcode, 20, 1) ? it.results : it.sources) |= reg(opcode, 12);
        }
        break;
    default:
        break;
    }
    return it;
}

} // namespace twin::a9
