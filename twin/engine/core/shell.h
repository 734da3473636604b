// The instrument compiled within the shell of one machine: what its clock edge takes and gives.
#pragma once

#include "core/trace.h"

#include <array>
#include <cstdint>

namespace twin {

// The two words of pins between software and gateware, in either direction.
using Pins = std::array<std::uint32_t, 2>;

class Shell {
  public:
    virtual ~Shell() = default;

    // One clock period.
    virtual void step() = 0;
    virtual void reset(bool asserted) = 0;

    virtual void set_pins(Pins pins) = 0;
    virtual Pins pins() const = 0;

    // Pins for markers, and the copies of lines at pins.
    virtual void set_inputs(std::uint32_t levels) = 0;
    virtual std::uint32_t copies() const = 0;
    // Lines and channels take part.
    virtual bool armed() const = 0;

    // Levels of its outputs to an interrupt controller, and of its other outputs to the chip.
    virtual std::uint32_t lines() const = 0;
    virtual std::uint32_t events() const = 0;

    // The Timebase, and its contract of skipping (docs/decisions/0001-skip-is-a-port.md).
    virtual std::uint64_t now() const = 0;
    virtual bool quiet() const = 0;
    virtual std::uint64_t first_target() const = 0; // never: no such time
    virtual void set_skip(bool skip, std::uint64_t to) = 0;

    // Signals by the names of its ports: constants, inputs as last given, outputs.
    virtual void trace_identity(Trace &trace) const = 0;
    virtual void trace_pins(Trace &trace, std::uint64_t tick) const = 0;
    virtual void trace_outputs(Trace &trace, std::uint64_t tick) const = 0;
};

} // namespace twin
