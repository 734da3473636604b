// DDR and OCM, shared by all cores, and the loader that fills them from an ELF file.
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

class Memory {
  public:
    Memory();
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    // DDR (low 2 GB) and OCM (256 KB), UG1085 "System Addresses".
    const std::vector<Region> &regions() const { return regions_; }

    // Copies the PT_LOAD segments of a little-endian AArch64 executable to their physical
    // addresses, zeroes the rest of each segment, returns the entry point. Refuses other files.
    std::uint64_t load_elf(const std::string &path);

    // The segments loaded that may be executed.
    const std::vector<Region> &code() const { return code_; }

    // The bytes at a physical address, or nullptr outside DDR and OCM.
    std::uint8_t *at(std::uint64_t address, std::uint64_t size) const;

  private:
    std::vector<Region> regions_;
    std::vector<Region> code_;
};

} // namespace twin
