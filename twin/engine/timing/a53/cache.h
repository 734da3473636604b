// Tags and states of one cache. Contents stay in the board's memory: only time depends on a cache.
#pragma once

#include "core/units.h"
#include "timing/a53/random.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace twin::a53 {

inline constexpr unsigned line_bytes = 64;

// A physical address without its offset in the line.
using LineNumber = std::uint64_t;
constexpr LineNumber line_of(std::uint64_t address) { return address / line_bytes; }

class Cache {
  public:
    // The number of sets is a power of two. Victims are pseudo-random; a set that was empty
    // restarts their sequence, so that an emptied cache continues in the same way whatever it held
    // before.
    Cache(std::uint64_t kilobytes, std::uint64_t ways, Random random);

    struct Line {
        LineNumber number = none;
        Time ready = 0; // its fill is complete
        bool dirty = false;
        bool shared = false; // another core may also have it
        bool valid() const { return number != none; }
    };

    // The line, or nullptr. Good until the next fill.
    Line *find(LineNumber number) {
        Line *set = &lines_[set_of(number) * ways_];
        for (unsigned way = 0; way < ways_; ++way)
            if (set[way].number == number)
                return &set[way];
        return nullptr;
    }

    // Inserts a line that is absent. Returns the line that had to go, if any was valid.
    std::optional<Line> fill(LineNumber number, Time ready, bool dirty, bool shared);

    // Takes a line out. Returns it if it was there.
    std::optional<Line> remove(LineNumber number);

    // The line of a set and way; nullptr out of range.
    Line *at(unsigned set, unsigned way);

    void clear();

    unsigned sets() const { return sets_; }
    unsigned ways() const { return ways_; }

  private:
    static constexpr LineNumber none = ~LineNumber{0};

    std::size_t set_of(LineNumber number) const { return number & (sets_ - 1); }
    std::optional<Line> take(Line &line);

    unsigned sets_, ways_;
    std::vector<Random> start_, random_; // by set
    std::vector<Line> lines_;
};

} // namespace twin::a53
