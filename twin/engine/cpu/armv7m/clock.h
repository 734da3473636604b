// The clock of a core that its program sets: cycles and twin time. Its period need not be a whole
// number of units of twin time, so cycles are what is counted.
#pragma once

#include "core/units.h"

#include <cstdint>

namespace twin::armv7m {

class Clock {
  public:
    // `units`: of twin time, in a second.
    Clock(std::uint64_t units, std::uint64_t hz) : units_(units), hz_(hz) {}

    std::uint64_t hz() const { return hz_; }

    // From `cycle` on, which is at `time`, it runs at `hz`.
    void set(std::uint64_t hz, std::uint64_t cycle, Time time) {
        hz_ = hz;
        cycle_ = cycle;
        time_ = time;
    }

    Time time_of(std::uint64_t cycle) const {
        return time_ + static_cast<Time>(Wide{cycle - cycle_} * units_ / hz_);
    }

    // The first cycle that begins at `time` or later.
    std::uint64_t cycle_at(Time time) const {
        if (time <= time_)
            return cycle_;
        return cycle_ +
               static_cast<std::uint64_t>((Wide{time - time_} * hz_ + units_ - 1) / units_);
    }

  private:
    using Wide = unsigned __int128;

    const std::uint64_t units_;
    std::uint64_t hz_;
    std::uint64_t cycle_ = 0;
    Time time_ = 0;
};

} // namespace twin::armv7m
