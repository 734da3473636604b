// The constants of this board's timing profiles, in addition to those of every board.
#pragma once

#include "boards/profile.h"

namespace twin::zynq7000 {

struct Profile : BoardProfile {
    Time l2_path = 0;   // core <-> registers of the L2C-310, one way
    Time l2_by_way = 0; // an operation on all its ways
    Time event = 0;     // SEV -> the other core leaves the BootROM

    // Takes its constants out of `constants`; a missing or impossible one is refused.
    static Profile from(Constants &constants);
};

} // namespace twin::zynq7000
