// A board as the scheduler sees it. It owns cores, devices and the compiled gateware, knows every
// address and interrupt, and binds them: how the instrument's outputs reach the interrupt
// controller, and where the markers come from.
#pragma once

#include "core/core.h"
#include "core/events.h"
#include "core/gateware.h"
#include "core/units.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace twin {

// The device at the line to the host.
class SerialPort {
  public:
    virtual ~SerialPort() = default;

    // A byte from the host; its start bit falls at `time`. Returns when it is over.
    virtual Time receive(std::uint8_t byte, Time time) = 0;

    // How many polls in a row found nothing received and all sent; any other access restarts the
    // count.
    virtual unsigned empty_polls() const = 0;

    virtual std::uint64_t bytes_sent() const = 0;
    virtual std::uint64_t bytes_received() const = 0;
};

// How far the parts of a board may run ahead of each other.
struct LookAhead {
    Time store;   // a store that a core has not yet issued changes no pin before
    Time access;  // one that is under way, an event, changes no pin before
    Time line;    // a change of a line of the gateware reaches no core before
    Time quantum; // how far running cores may be apart
    Time grid;    // the host's bytes enter at its multiples: every clock has an edge there
};

// Number of lines, from the first, that reach a measured foreign program.
inline constexpr unsigned program_lines = 7;

// The parts of a board that a foreign program needs: no gateware, and no line to a host.
class ProgramBoard {
  public:
    virtual ~ProgramBoard() = default;

    virtual EventQueue &events() = 0;
    virtual const std::vector<Core *> &cores() = 0;
    virtual LookAhead look_ahead() const = 0;

    // Core 0 leaves reset. Before anything else happens.
    virtual void start(Time time) = 0;

    // An output of the gateware that leads to the interrupt controller changes.
    virtual void drive_line(unsigned line, bool level, Time time) = 0;

    // Whether the interrupt controller would keep that line from core 0, were it high now.
    virtual bool masks_line(unsigned line) const = 0;

    // The line whose interrupt the controller has for this core before all others, if one is.
    virtual std::optional<unsigned> line_for(unsigned core) const = 0;

    // The interrupt controller's state of that line, for the report.
    virtual std::string about_line(unsigned line) const = 0;

    // The device register that core 0 has read again and again, for the report, or empty.
    virtual std::string polled() const { return ""; }

    // Refuses a pin that the chip does not have.
    virtual void check_pin(unsigned) const {}

    // Called for each output pin of the chip that changes, where the board has such pins.
    using PinObserver = std::function<void(unsigned pin, bool level, Time at)>;
    virtual void observe_pins(PinObserver) {}
};

class Board : public ProgramBoard {
  public:
    virtual Gateware &gateware() = 0;
    virtual SerialPort &serial() = 0;

    // Writes out what is on its way into files.
    virtual void flush() = 0;

    // Members of a core's JSON object, each after a comma.
    virtual void write_stats(std::ostream &out, unsigned core) const = 0;
};

} // namespace twin
