// The constants that every timing profile of any board has.
#pragma once

#include "core/constants.h"
#include "cpu/unicorn_core.h"
#include "devices/gic.h"
#include "devices/gpio.h"

#include <initializer_list>

namespace twin {

struct BoardProfile : CoreTimes, GicTimes, GpioTimes {
    Time quantum = 0;         // how far cores may be apart
    Time gic_pl_input = 0;    // PL output register -> GIC input
    Time gic_ps_input = 0;    // UART, timer -> GIC input
    Time peripheral_path = 0; // core <-> UART and control registers, one way

  protected:
    // Takes them; a missing one is refused.
    void take(Constants &constants);

    // Refuses an impossible one. `paths`: further ways between a core and a device.
    void check(Time cpu_cycle, Time apb_cycle, std::initializer_list<Time> paths) const;
};

// A period that the engine's arithmetic rests on: the table states it, nobody may change it.
struct FixedPeriod {
    const char *name;
    Time value;
};

// Takes each; another value is refused.
void take_fixed(Constants &constants, std::initializer_list<FixedPeriod> periods);

} // namespace twin
