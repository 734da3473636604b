// The compiled gateware and its share of twin time.
//
// Register `now` equals n from time n * period to (n + 1) * period, unless the clock has a fault. A
// change of an input pin at time p is sampled by the first clock edge strictly after p. Outputs are
// read after full evaluation, so they are the values that registers took at the edge.
#pragma once

#include "core/pin_device.h"
#include "core/shell.h"
#include "core/trace.h"
#include "core/units.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

namespace twin {

class Gateware {
  public:
    struct Clock {
        std::uint64_t period; // of a tick, in hundredths of a unit
        bool runs;            // and the gateware is there, out of reset and isolation
    };

    // What leaves it besides pins: one of the shell's lines() changes, or one of its events()
    // rises.
    struct Wiring {
        std::function<void(unsigned line, bool level, Time time)> line;
        std::function<void(unsigned event, Time time)> event;
    };

    Gateware(std::unique_ptr<Shell> shell, Clock clock, bool skipping, Trace &trace,
             const std::atomic<bool> &quit, Wiring wiring, std::shared_ptr<PinDevice> device);

    // The input pins take these values at `time`. Not before any earlier call's time.
    void set_pins(Time time, Pins pins);

    // Evaluates every edge up to `bound` that can change an output. Precondition: all pin changes
    // before `bound` are known. Returns true, early, when a line has changed, or whether it is
    // armed; false when it is there, or, for never, when nothing can happen without a change of
    // pins.
    bool run_until(Time bound);

    // Nothing will ever happen unless a pin changes.
    bool idle() const;

    // No output changes before this time, as far as the pin changes are known.
    Time next_output() const;

    // The output pins at `time`, at most 10 us in the past.
    Pins pins_at(Time time);

    // The tick that `time` lies in.
    std::uint64_t tick_at(Time time) const {
        return ((time + 1) * 100 + clock_.period - 1) / clock_.period - 1;
    }

    // Armed, as far as it has run.
    bool armed() const { return armed_; }

    std::uint64_t tick() const { return tick_; }
    std::uint64_t evaluated() const { return evaluated_; }

  private:
    struct Change {
        Time time;
        Pins pins;
    };

    Time device_acts() const { return device_ ? device_->next() : never; }
    Time edge_of(std::uint64_t tick) const { return tick * clock_.period / 100; }
    bool publish();

    const std::unique_ptr<Shell> shell_;
    const Clock clock_;
    const bool skipping_;
    Trace &trace_;
    const std::atomic<bool> &quit_;
    const Wiring wiring_;
    const std::shared_ptr<PinDevice> device_; // at the pins; none: they are low
    std::uint64_t tick_ = 0;
    std::uint64_t evaluated_ = 0;
    std::uint32_t lines_ = 0;
    std::uint32_t events_ = 0;
    std::uint32_t copies_ = 0;
    bool armed_ = false;
    bool skips_ = false;         // the edge to come is a skip
    std::deque<Change> inputs_;  // changes to come
    std::deque<Change> outputs_; // values and since when
};

} // namespace twin
