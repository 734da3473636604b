// Where an A64 instruction loads from or stores to, read from its opcode and its registers.
//
// The emulator also reports it, but looks the instruction up in its translated code for each
// access: T6-4 then takes 1.2 to 1.6 times the processor time. A32 keeps that way, because its
// conditions and register lists would need more code.
#pragma once

#include <cstdint>

namespace twin::a64 {

struct MemoryOperand {
    static constexpr std::uint8_t no_register = 32;
    static constexpr std::uint8_t pc = 33;
    static constexpr std::uint8_t sp = 31;

    std::uint8_t count = 0; // accesses, each after the other; 0: no load or store
    std::uint8_t size = 0;  // of each, bytes: 1 to 8
    bool store = false;
    std::uint8_t base = no_register;
    std::uint8_t index = no_register;
    std::uint8_t index_bits = 64; // of the index register: 32 or 64
    bool index_signed = false;
    std::uint8_t shift = 0;  // of the index
    std::int32_t offset = 0; // bytes

    // Address of the first access. `general_register(n)`: its value now; 31 is SP.
    template <typename Read>
    std::uint64_t address(std::uint64_t at, const Read &general_register) const {
        std::uint64_t address = base == pc ? at : general_register(base);
        if (index != no_register) {
            std::uint64_t value = general_register(index);
            if (index_bits == 32)
                value = index_signed ? static_cast<std::uint64_t>(static_cast<std::int32_t>(value))
                                     : static_cast<std::uint32_t>(value);
            address += value << shift;
        }
        return address + static_cast<std::uint64_t>(std::int64_t{offset});
    }
};

// The operand of a load or store of Armv8.0 (Arm DDI 0487, C4.1, "Loads and Stores"). A prefetch
// has none, a store-exclusive has one whether it succeeds or not, and 16 bytes of a vector register
// are two accesses of 8.
MemoryOperand memory_operand(std::uint32_t opcode);

} // namespace twin::a64
