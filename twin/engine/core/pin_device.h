// What is wired to the instrument's pins: it sees the copies of lines and drives the pins whose
// edges can be markers. It lives in the time of the gateware, and no core can reach it.
#pragma once

#include "core/units.h"

#include <cstdint>

namespace twin {

class PinDevice {
  public:
    virtual ~PinDevice() = default;

    // The instrument's output pins changed at `time`, or whether it is armed did. Everything of
    // the device before `time` has been run.
    virtual void sees(std::uint32_t outputs, bool armed, Time time) = 0;

    // When it next does something by itself; never: not before its inputs change.
    virtual Time next() const = 0;

    // Does what is due at next().
    virtual void run() = 0;

    // The levels that it drives now.
    virtual std::uint32_t levels() const = 0;
};

} // namespace twin
