// The engine's reading of loads and stores, for test_memory_operand.py.
#include "cpu/a64/memory_operand.h"

extern "C" unsigned memory_operand(std::uint32_t opcode, std::uint64_t pc,
                                   const std::uint64_t *registers, std::uint64_t *address,
                                   unsigned *size, unsigned *store) {
    auto operand = twin::a64::memory_operand(opcode);
    if (operand.count == 0)
        return 0;
    *address = operand.address(pc, [registers](unsigned n) { return registers[n]; });
    *size = operand.size;
    *store = operand.store;
    return operand.count;
}
