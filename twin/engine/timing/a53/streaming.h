// Write streaming (read-allocate mode, TRM 6.2.x): long runs of whole lines do not fill the caches.
#pragma once

#include "timing/a53/cache.h"
#include "timing/a53/parameters.h"

#include <cstdint>
#include <optional>

namespace twin::a53 {

class Streaming {
  public:
    explicit Streaming(const Parameters &parameters) : parameters_(parameters) {}

    // A store of `size` bytes at `address`, whose line L1 has already or not.
    struct Step {
        bool streams;                     // this store does not fill L1
        std::optional<LineNumber> whole;  // a line of the stream is complete: write it past L1
        std::optional<LineNumber> broken; // the stream has ended in the middle of this line
    };
    Step store(std::uint64_t address, unsigned size, bool present);

    // A load from the line that is being written ends the stream; returns that line.
    std::optional<LineNumber> load(LineNumber line);

    // Whether the lines are so many that they also pass L2.
    bool past_l2() const { return run_ >= parameters_.streaming_l2_lines; }

  private:
    bool whole() const { return written_ == ~std::uint64_t{0}; }

    const Parameters &parameters_;
    LineNumber line_ = ~LineNumber{0};
    std::uint64_t written_ = 0; // a bit for each byte of line_
    Time run_ = 0;              // whole lines in a row
    bool streams_ = false;      // line_ is not in L1
};

} // namespace twin::a53
