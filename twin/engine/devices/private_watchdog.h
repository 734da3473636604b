// The watchdog of one core of a Cortex-A9 MPCore (Arm 100486, chapter 4): a second private timer,
// until it is told to watch. One that then runs out stops the engine: the chip would be reset.
#pragma once

#include "devices/private_timer.h"

#include <cstdint>

namespace twin {

class PrivateWatchdog {
  public:
    static constexpr std::uint32_t bytes = 0x18; // of its registers

    // As a PrivateTimer has them; `runs_out`: called then, if it watches.
    PrivateWatchdog(EventQueue &events, Time cycle, Time output_delay,
                    std::function<void(bool level, Time time)> output,
                    std::function<void()> runs_out)
        : timer_(events, cycle, output_delay, std::move(output),
                 [this] {
                     if (watches_)
                         runs_out_();
                 }),
          runs_out_(std::move(runs_out)) {}

    std::uint32_t read(std::uint32_t offset, Time now) const;
    void write(std::uint32_t offset, std::uint32_t value, Time now);

  private:
    PrivateTimer timer_;
    const std::function<void()> runs_out_;
    bool watches_ = false;
    bool half_disabled_ = false; // the first of the two values has been written
};

} // namespace twin
