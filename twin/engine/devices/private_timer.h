// The private timer of one core of a Cortex-A9 MPCore (Arm 100486, chapter 4): counts down with
// PERIPHCLK / (prescaler + 1).
#pragma once

#include "core/events.h"
#include "core/units.h"

#include <cstdint>
#include <functional>

namespace twin {

class PrivateTimer {
  public:
    static constexpr std::uint32_t bytes = 0x10; // of its registers

    // `cycle`: of PERIPHCLK. `output` drives its interrupt, `output_delay` after a change.
    // `expired`: called when the count reaches 0.
    PrivateTimer(
        EventQueue &events, Time cycle, Time output_delay,
        std::function<void(bool level, Time time)> output, std::function<void()> expired = [] {})
        : events_(events), cycle_(cycle), output_delay_(output_delay), output_(std::move(output)),
          expired_(std::move(expired)) {}
    PrivateTimer(const PrivateTimer &) = delete;
    PrivateTimer &operator=(const PrivateTimer &) = delete;

    std::uint32_t read(std::uint32_t offset, Time now) const;
    void write(std::uint32_t offset, std::uint32_t value, Time now);

  private:
    Time count_cycle() const;
    std::uint32_t count(Time now) const;
    void restart(std::uint32_t from, Time now);
    void expire(Time now);
    void drive(Time now);

    EventQueue &events_;
    const Time cycle_, output_delay_;
    const std::function<void(bool level, Time time)> output_;
    const std::function<void()> expired_;
    std::uint32_t load_ = 0, control_ = 0, status_ = 0;
    std::uint32_t from_ = 0; // the count at `since_`
    Time since_ = 0;
    std::uint64_t generation_ = 0; // events of older settings do nothing
};

} // namespace twin
