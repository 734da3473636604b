// Places of a program as signals at the instrument's pins: each passing is an edge of its pin.
#pragma once

#include "core/pin_device.h"

#include <array>
#include <deque>
#include <functional>

namespace twin {

class Places : public PinDevice {
  public:
    static constexpr unsigned pins = 8;

    // Edges of a pin that are closer than `tick` could not be told apart.
    explicit Places(Time tick) : tick_(tick) {}

    // Called when the instrument is armed, and when it no longer is.
    void attach(std::function<void(bool armed, Time time)> armed) { told_ = std::move(armed); }

    // The place of this pin is passed at `at`. False: too soon after the last time.
    bool pass(unsigned pin, Time at);

    void sees(std::uint32_t outputs, bool armed, Time time) override;
    Time next() const override;
    void run() override;
    std::uint32_t levels() const override { return levels_; }

  private:
    struct Edge {
        Time time;
        unsigned pin;
    };

    const Time tick_;
    bool armed_ = false;
    std::function<void(bool armed, Time time)> told_ = [](bool, Time) {};
    std::deque<Edge> edges_; // to come, in the order of time
    std::array<Time, pins> last_{};
    std::uint32_t levels_ = 0;
};

} // namespace twin
