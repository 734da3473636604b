// What may be wrong with this board alone.
#pragma once

#include "boards/faults.h"

namespace twin::zynqmp {

struct Faults : twin::Faults {
    // CRF_APB: the gate of DBG_FPD_CTRL stays shut. STM: secure non-invasive debug is off.
    std::uint64_t debug_clock_off = 0;
    std::uint64_t stm_untraced = 0;

    void set(const std::string &setting);
};

} // namespace twin::zynqmp
