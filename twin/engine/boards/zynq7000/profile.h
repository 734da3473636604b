// The constants that every timing profile of this board has.
#pragma once

#include "core/constants.h"
#include "cpu/unicorn_core.h"
#include "devices/gic.h"
#include "devices/gpio.h"

namespace twin::zynq7000 {

struct Profile : CoreTimes, GicTimes, GpioTimes {
    Time turn = 0;            // how far cores may be apart
    Time gic_pl_input = 0;    // PL output register -> GIC input
    Time gic_ps_input = 0;    // UART, timer -> GIC input
    Time peripheral_path = 0; // core <-> UART and SLCR, one way
    Time l2_path = 0;         // core <-> registers of the L2C-310, one way
    Time l2_by_way = 0;       // an operation on all its ways
    Time event = 0;           // SEV -> the other core leaves the BootROM

    // Takes its constants out of `constants`; a missing or impossible one is refused.
    static Profile from(Constants &constants);
};

} // namespace twin::zynq7000
