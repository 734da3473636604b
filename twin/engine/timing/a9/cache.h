// Tags and states of one cache of 32-byte lines. Contents stay in the board's memory.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace twin::a9 {

inline constexpr unsigned line_bytes = 32;

// A physical address without its offset in the line.
using LineNumber = std::uint64_t;
constexpr LineNumber line_of(std::uint64_t address) { return address / line_bytes; }

class Cache {
  public:
    enum class Victim { random, round_robin };

    // The number of sets is a power of two.
    Cache(std::uint64_t kilobytes, std::uint64_t ways, Victim victim)
        : sets_(static_cast<unsigned>(kilobytes * 1024 / line_bytes / ways)),
          ways_(static_cast<unsigned>(ways)), victim_(victim), lines_(std::size_t{sets_} * ways_),
          next_(sets_) {}

    struct Line {
        LineNumber number = none;
        Time ready = 0; // its fill is complete
        bool dirty = false;
        bool valid() const { return number != none; }
    };

    // The line, or nullptr. Good until the next fill.
    Line *find(LineNumber number);

    // Puts a line that is not there into a way that is not locked; if all are locked, does nothing.
    // Returns the line that had to go, if it was valid.
    std::optional<Line> fill(LineNumber number, Time ready, bool dirty, std::uint32_t locked = 0);

    // Takes a line out. Returns it if it was there.
    std::optional<Line> remove(LineNumber number);

    Line *at(unsigned set, unsigned way) {
        return set < sets_ && way < ways_ ? &lines_[std::size_t{set} * ways_ + way] : nullptr;
    }

    void clear();

    unsigned sets() const { return sets_; }
    unsigned ways() const { return ways_; }

  private:
    static constexpr LineNumber none = ~LineNumber{0};

    unsigned sets_, ways_;
    Victim victim_;
    std::vector<Line> lines_;
    std::vector<std::uint32_t> next_; // by set: where the next victim is chosen from
};

} // namespace twin::a9
