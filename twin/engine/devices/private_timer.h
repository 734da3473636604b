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
    PrivateTimer(EventQueue &events, Time cycle, Time output_delay,
                 std::function<void(bool level, Time time)> output)
        : events_(events), cycle_(cycle), output_delay_(output_delay), output_(std::move(output)) {}
    PrivateTimer(const PrivateTimer &) = delete;
    PrivateTimer &operator=(const PrivateTimer &) = delete;

    std::uint32_t read(std::uint32_t offset, Time now) const;
    void write(std::uint32_t offset, std::uint32_t value, Time now);

    // Whether a value sets bits of a register that are reserved.
    static bool reserved(std::uint32_t offset, std::uint32_t value);

  private:
    Time count_cycle() const;
    std::uint32_t count(Time now) const;
    void restart(std::uint32_t from, Time now);
    void expire(Time now);
    void drive(Time now);

    EventQueue &events_;
    const Time cycle_, output_delay_;
    const std::function<void(bool level, Time time)> output_;
    std::uint32_t load_ = 0, control_ = 0, status_ = 0;
    std::uint32_t from_ = 0; // the count at `since_`
    Time since_ = 0;
    std::uint64_t generation_ = 0; // events of older settings do nothing
};

} // namespace twin
