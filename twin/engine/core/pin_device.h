// Devices wired to the instrument's pins: they see the copies of lines and drive the pins whose
// edges can be markers. It lives in the time of the gateware, and no core can reach it.
#pragma once

#include "core/units.h"

#include <cstdint>

namespace twin {

class PinDevice {
  public:
    virtual ~PinDevice() = default;

    // At `time` the instrument's output pins changed, or it was armed or disarmed. All that the
    // device does before `time` is done.
    virtual void sees(std::uint32_t outputs, bool armed, Time time) = 0;

    // When it next does something by itself; never: only once its inputs change.
    virtual Time next() const = 0;

    // Does what is due at next().
    virtual void run() = 0;

    // The levels that it drives now.
    virtual std::uint32_t levels() const = 0;
};

} // namespace twin
