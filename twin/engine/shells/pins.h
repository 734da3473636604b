// The pins of EMIO between the GPIO controller and the gateware, and what may be wrong with them.
#pragma once

#include "core/gateware.h"
#include "core/markers.h"
#include "devices/gpio.h"
#include "shells/faults.h"

namespace twin {

class EmioPins {
  public:
    EmioPins(const PlFaults &faults, Gateware &gateware, MarkerLog &markers)
        : faults_(faults), gateware_(gateware), markers_(markers) {}

    Gpio::Wiring wiring();

  private:
    void drive(Time time, GpioPins levels);
    GpioPins sense(Time time);
    void marker(const Access &access, std::uint32_t value);

    const PlFaults &faults_;
    Gateware &gateware_;
    MarkerLog &markers_;
    std::uint32_t first_ = 0; // bank, as the controller drives it
};

} // namespace twin
