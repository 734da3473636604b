// The constants of this board's timing profiles, in addition to those of every board.
#pragma once

#include "boards/profile.h"

namespace twin::zynqmp {

struct Profile : BoardProfile {
    Time stm_path = 0;  // core <-> stimulus port of the STM, where it is stamped, one way
    Time stm_event = 0; // PL output register -> STM, where its edge is stamped

    // Takes its constants out of `constants`; a missing or impossible one is refused.
    static Profile from(Constants &constants);
};

} // namespace twin::zynqmp
