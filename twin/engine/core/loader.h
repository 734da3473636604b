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
    std::uint64_t entry;      // as the core sees it
    std::vector<Region> code; // the segments that may be executed
};

// Copies the PT_LOAD segments of a little-endian executable to their physical addresses, and zeroes
// the rest of each segment; the entry is where its segment is loaded. The ELF headers at the head
// of the first segment may be outside the memory, as linkers put them there. Refuses other files,
// by their `name`; an empty one: as the path.
Program load_elf(const Memory &memory, const std::string &path, const std::string &name,
                 const ElfKind &kind);

// Copies a file to a physical address. Refuses one that is not all in memory.
void load_binary(const Memory &memory, const std::string &path, std::uint64_t address);

} // namespace twin
