// The interrupt controller of a program's board: a RISC-V PLIC (1.0.0) with sources 1 to 31 and one
// context, the machine mode of hart 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace rtl {

class Plic {
  public:
    static constexpr unsigned sources = 32; // source 0 is none
    static constexpr std::uint32_t size = 0x400000;

    // The levels of the sources in this cycle.
    void set(std::uint32_t levels);

    // Whether it would interrupt the core with these levels.
    bool interrupts(std::uint32_t levels) const { return best(pending(levels)) != 0; }

    // A word of its registers. No value, false: there is none.
    std::optional<std::uint32_t> load(std::uint32_t offset);
    bool store(std::uint32_t offset, std::uint32_t value);

    // The source that it would hand out, or 0.
    unsigned first() const { return best(pending_); }

    // Whether a source cannot interrupt, whatever its level is.
    bool masks(unsigned source) const;

    // What it has been told of a source, in words.
    std::string told(unsigned source) const;

  private:
    std::uint32_t pending(std::uint32_t levels) const { return pending_ | (levels & ~claimed_); }
    unsigned best(std::uint32_t pending) const;

    static constexpr std::uint32_t highest = 7; // priority

    std::array<std::uint32_t, sources> priority_{};
    std::uint32_t enabled_ = 0, threshold_ = 0;
    std::uint32_t levels_ = 0, pending_ = 0, claimed_ = 0;
};

} // namespace rtl
