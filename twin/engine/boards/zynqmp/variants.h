// The behaviour of the board's registers where two sources differ: each member's default follows
// the model's source, another value the other source. Table with sources: docs/twin.md.
#pragma once

#include "cpu/a64/system_registers.h"
#include "devices/gic.h"
#include "devices/uart.h"

#include <cstdint>
#include <string>

namespace twin::zynqmp {

struct Variants : GicVariants, UartVariants, a64::Variants {
    // PWR_STATE.PL: whether the PL is out of isolation, always 1, always 0.
    enum : std::uint64_t { pl_power_isolation, pl_power_one, pl_power_zero };
    std::uint64_t pl_power = pl_power_isolation;

    // Cores 1 to 3 are as a system left them that put them to sleep: no power, and a request in
    // PWRCTL that takes it again at the next WFI.
    std::uint64_t parked = 0;

    // Sets a member by "name=number"; anything else is refused.
    void set(const std::string &setting);
};

} // namespace twin::zynqmp
