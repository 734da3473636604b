// What is wrong with this board; nothing unless the command line says so. Each fault acts in the
// model of the part that has it, so that software meets it as it would on a board.
#pragma once

#include "devices/gic.h"
#include "devices/gpio.h"
#include "devices/uart.h"
#include "shells/faults.h"

#include <cstdint>
#include <string>

namespace twin::zynqmp {

struct Faults : PlFaults, GicFaults, GpioFaults, UartFaults {
    // Mask of cores that do not start.
    std::uint64_t dead_cores = 0;

    // CRF_APB: the gate of DBG_FPD_CTRL stays shut. STM: secure non-invasive debug is off.
    std::uint64_t debug_clock_off = 0;
    std::uint64_t stm_untraced = 0;

    // Sets a member by "name=number"; anything else is refused.
    void set(const std::string &setting);

    bool pl_works() const { return !(bitstream_absent || isolated || clock_stopped || reset_held); }
};

} // namespace twin::zynqmp
