// The memory that all cores share.
#pragma once

#include <cstdint>
#include <optional>
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
    // A part; `same`: another one at the same place.
    struct Part {
        std::uint64_t base, size;
        std::optional<std::uint64_t> same = {};
    };
    // Refuses parts that overlap.
    explicit Memory(const std::vector<Part> &parts);
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    const std::vector<Region> &regions() const { return regions_; }

    // "0x0 to 0x7fffffff, ...", for reports.
    std::string about() const;

    // The bytes at a physical address, or nullptr outside of it.
    std::uint8_t *at(std::uint64_t address, std::uint64_t size) const;

    // Distance from an address without memory to the next memory; 0 if it is in memory or none
    // follows.
    std::uint64_t below(std::uint64_t address) const;

  private:
    std::vector<Region> regions_;
};

} // namespace twin
