// Effects of the L2C-310's registers on the cache of the timing model.
#pragma once

#include "devices/l2c310.h"
#include "timing/a9/memories.h"

namespace twin::zynq7000 {

class L2Effects : public L2Operations {
  public:
    explicit L2Effects(a9::Memories &memories) : memories_(memories) {}

    void set_enabled(bool enabled) override { memories_.enable(enabled); }
    void line(std::uint64_t address, bool, bool invalidate) override {
        memories_.maintain(a9::line_of(address), invalidate);
    }
    void ways(std::uint32_t ways, bool, bool invalidate) override {
        memories_.maintain_ways(ways, invalidate);
    }
    void lock(unsigned master, bool instructions, std::uint32_t ways) override {
        memories_.lock(master, instructions, ways);
    }

  private:
    a9::Memories &memories_;
};

} // namespace twin::zynq7000
