// The constants that every timing profile of this board has.
#pragma once

#include "core/constants.h"
#include "cpu/unicorn_core.h"
#include "devices/gic.h"
#include "devices/gpio.h"

namespace twin::zynqmp {

struct Profile : CoreTimes, GicTimes, GpioTimes {
    Time turn = 0;            // how far cores may be apart
    Time gic_pl_input = 0;    // PL output register -> GIC input
    Time gic_ps_input = 0;    // UART, timer -> GIC input
    Time peripheral_path = 0; // core <-> UART and control registers, one way
    Time stm_path = 0;        // core <-> stimulus port of the STM, where it is stamped, one way
    Time stm_event = 0;       // PL output register -> STM, where its edge is stamped

    // Takes its constants out of `constants`; a missing or impossible one is refused.
    static Profile from(Constants &constants);
};

} // namespace twin::zynqmp
