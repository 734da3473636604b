// The pins between the GPIO controller and the gateware, and what may be wrong with them.
#pragma once

#include "boards/zynqmp/faults.h"
#include "core/gateware.h"
#include "core/markers.h"
#include "devices/gpio.h"

namespace twin::zynqmp {

class Emio {
  public:
    Emio(const Faults &faults, Gateware &gateware, MarkerLog &markers)
        : faults_(faults), gateware_(gateware), markers_(markers) {}

    Gpio::Wiring wiring();

  private:
    void drive(Time time, GpioPins levels);
    GpioPins sense(Time time);
    void marker(const Access &access, std::uint32_t value);

    const Faults &faults_;
    Gateware &gateware_;
    MarkerLog &markers_;
    std::uint32_t bank3_ = 0; // as the controller drives it
};

} // namespace twin::zynqmp
