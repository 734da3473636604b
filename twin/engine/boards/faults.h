// Faults of a board; none unless the command line names one. Each fault acts in the model of the
// part that has it, so that software meets it as it would on a board.
#pragma once

#include "devices/gic.h"
#include "devices/gpio.h"
#include "devices/uart.h"
#include "shells/faults.h"

#include <cstdint>
#include <string>

namespace twin {

// Those that every board can have.
struct Faults : PlFaults, GicFaults, GpioFaults, UartFaults {
    // Mask of cores that do not start.
    std::uint64_t dead_cores = 0;

    // Sets a member by "name=number"; anything else is refused.
    void set(const std::string &setting);

    bool pl_works() const { return !(bitstream_absent || isolated || clock_stopped || reset_held); }
};

} // namespace twin
