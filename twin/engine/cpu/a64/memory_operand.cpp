#include "cpu/a64/memory_operand.h"

#include "cpu/a64/fields.h"

namespace twin::a64 {

namespace {

// `bytes` in all, in accesses of `size`, or of 8 if that is smaller.
void set(MemoryOperand &it, bool store, unsigned bytes, unsigned size) {
    it.store = store;
    it.size = static_cast<std::uint8_t>(size < 8 ? size : 8);
    it.count = static_cast<std::uint8_t>(bytes / it.size);
}

// LDXR, STLR and the like.
void exclusive(MemoryOperand &it, const Fields &f) {
    unsigned size = 1u << f.bits(31, 30);
    bool pair = !f.bit(23) && f.bit(21);
    set(it, !f.bit(22), pair ? 2 * size : size, size);
}

// LD1 to LD4, ST1 to ST4.
void structures(MemoryOperand &it, const Fields &f) {
    bool store = !f.bit(22);
    if (!f.bit(24)) { // whole registers
        constexpr std::uint8_t registers[16] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2};
        constexpr std::uint8_t of_elements[16] = {4, 0, 1, 0, 3, 0, 1, 1, 2, 0, 1};
        unsigned opcode = f.bits(15, 12);
        unsigned size = of_elements[opcode] == 1 ? 8 : 1u << f.bits(11, 10);
        set(it, store, registers[opcode] * (f.bit(30) ? 16u : 8u), size);
        return;
    }
    unsigned elements = (f.bit(13) ? 2u : 0u) + (f.bit(21) ? 2u : 1u);
    unsigned scale = f.bits(15, 14);
    unsigned size = scale == 3                ? 1u << f.bits(11, 10) // one, into all lanes
                    : scale == 2 && f.bit(10) ? 8
                                              : 1u << scale;
    set(it, store, elements * size, size);
}

void literal(MemoryOperand &it, const Fields &f) {
    unsigned opc = f.bits(31, 30);
    if (opc == 3)
        return; // PRFM
    unsigned size = f.bit(26) ? 4u << opc : opc == 1 ? 8 : 4;
    set(it, false, size, size);
    it.base = MemoryOperand::pc;
    it.offset = 4 * f.signed_bits(23, 5);
}

void pair(MemoryOperand &it, const Fields &f) {
    unsigned size = f.bit(26) ? 4u << f.bits(31, 30) : f.bit(31) ? 8 : 4;
    set(it, !f.bit(22), 2 * size, size);
    if (f.bits(24, 23) != 1) // 1: the base moves afterwards
        it.offset = f.signed_bits(21, 15) * static_cast<std::int32_t>(size);
}

void one_register(MemoryOperand &it, const Fields &f) {
    bool vector = f.bit(26);
    unsigned scale = f.bits(31, 30);
    if (!vector && scale == 3 && f.bits(23, 22) == 2)
        return; // PRFM
    if (vector && f.bit(23))
        scale = 4;
    set(it, vector ? !f.bit(22) : f.bits(23, 22) == 0, 1u << scale, 1u << scale);
    if (f.bit(24)) {
        it.offset = static_cast<std::int32_t>(f.bits(21, 10) << scale);
    } else if (f.bit(21)) {
        unsigned option = f.bits(15, 13);
        auto index = static_cast<std::uint8_t>(f.bits(20, 16));
        it.index = index == 31 ? MemoryOperand::no_register : index; // XZR
        it.index_bits = option & 1 ? 64 : 32;
        it.index_signed = option & 4;
        it.shift = f.bit(12) ? static_cast<std::uint8_t>(scale) : 0;
    } else if (f.bits(11, 10) != 1) { // 1: the base moves afterwards
        it.offset = f.signed_bits(20, 12);
    }
}

} // namespace

MemoryOperand memory_operand(std::uint32_t opcode) {
    Fields f(opcode);
    MemoryOperand it;
    if (!f.bit(27) || f.bit(25))
        return it;
    it.base = f.rn();
    switch (f.bits(29, 28)) {
    case 0:
        f.bit(26) ? structures(it, f) : exclusive(it, f);
        break;
    case 1:
        literal(it, f);
        break;
    case 2:
        pair(it, f);
        break;
    default:
        one_register(it, f);
    }
    return it;
}

} // namespace twin::a64
