// The memory that all cores share.
#pragma once

#include <cstdint>
#include <vector>

namespace twin {

struct Region {
    std::uint64_t base;
    std::uint64_t size;
    std::uint8_t *bytes;
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

    // The bytes at a physical address, or nullptr outside of it.
    std::uint8_t *at(std::uint64_t address, std::uint64_t size) const;

  private:
    std::vector<Region> regions_;
};

} // namespace twin
