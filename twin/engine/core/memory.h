// The memory that all cores share, and the loader that fills it from an ELF file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace twin {

struct Region {
    std::uint64_t base;
    std::uint64_t size;
    std::uint8_t *bytes;
};

// What an ELF file has to be: the number by which its header names the instruction set, and the
// board, which a refusal names.
struct ElfKind {
    unsigned machine;
    const char *board;
};

class Memory {
  public:
    // Base and size of a part.
    struct Part {
        std::uint64_t base, size;
    };
    explicit Memory(const std::vector<Part> &parts);
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    const std::vector<Region> &regions() const { return regions_; }

    // Copies the PT_LOAD segments of a little-endian executable to their physical addresses, zeroes
    // the rest of each segment, returns the entry point. Refuses other files.
    std::uint64_t load_elf(const std::string &path, const ElfKind &kind);

    // The segments loaded that may be executed.
    const std::vector<Region> &code() const { return code_; }

    // The bytes at a physical address, or nullptr outside of it.
    std::uint8_t *at(std::uint64_t address, std::uint64_t size) const;

  private:
    template <typename Header, typename Segment>
    std::uint64_t load_segments(const std::string &path, const std::vector<char> &image);

    std::vector<Region> regions_;
    std::vector<Region> code_;
};

} // namespace twin
