// What may be wrong with this board alone.
#pragma once

#include "boards/faults.h"
#include "core/loader.h"

namespace twin::zynqmp {

struct Faults : twin::Faults {
    // CRF_APB: the gate of DBG_FPD_CTRL stays shut. STM: secure non-invasive debug is off.
    std::uint64_t debug_clock_off = 0;
    std::uint64_t stm_untraced = 0;

    // DDR: an address line that reaches no chip, 0: none. Two places then are one, as with a module
    // that has fewer bits of bank group than the controller was set up for.
    std::uint64_t ddr_alias = 0;

    void set(const std::string &setting);

    // Whether a program in memory differs from the one loaded.
    bool folds(const Program &program) const;
};

} // namespace twin::zynqmp
