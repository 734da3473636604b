// Fills the memory of a board from an ELF file.
#pragma once

#include "core/memory.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twin {

// What an ELF file has to be: the number by which its header names the instruction set, and the
// board, which a refusal names.
struct ElfKind {
    unsigned machine;
    const char *board;
};

struct Program {
    std::uint64_t entry;
    std::vector<Region> code; // the segments that may be executed
};

// Copies the PT_LOAD segments of a little-endian executable to their physical addresses, and zeroes
// the rest of each segment. Refuses other files, by their `name`; an empty one: as the path.
Program load_elf(const Memory &memory, const std::string &path, const std::string &name,
                 const ElfKind &kind);

} // namespace twin
