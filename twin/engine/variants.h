// What the board's registers do where two sources tell it differently: each member's default is
// what the model follows, another value is what the other source says. Table with sources:
// docs/twin.md.
#pragma once

#include <cstdint>
#include <string>

namespace twin {

struct Variants {
    // GICD_PPISR of a line that is active low at the GIC: its assertion, the pin, nothing.
    enum : std::uint64_t { ppisr_assertion, ppisr_pin, ppisr_zero };
    std::uint64_t ppisr = ppisr_assertion;

    // SGIs are as little enabled after reset as other interrupts, and can be disabled.
    std::uint64_t sgi_enables = 0;

    // The even bits of GICD_ICFGR, of each pair the one that says nothing, read 0.
    std::uint64_t icfgr_even_zero = 0;

    // PWR_STATE.PL: whether the PL is out of isolation, always 1, always 0.
    enum : std::uint64_t { pl_power_isolation, pl_power_one, pl_power_zero };
    std::uint64_t pl_power = pl_power_isolation;

    // Cores 1 to 3 are as a system left them that put them to sleep: no power, and a request in
    // PWRCTL that takes it again at the next WFI.
    std::uint64_t parked = 0;

    // CPUACTLR_EL1 of core 0 when the program begins: as out of reset, or as a loader left it.
    std::uint64_t cpuactlr_0 = 0x090C'A000;

    // Bytes of each FIFO of the UART.
    std::uint64_t uart_fifo = 64;

    // The cycle counter goes on while the core is in WFI.
    std::uint64_t cycles_in_wfi = 0;

    // Sets a member by "name=number"; anything else is refused.
    void set(const std::string &setting);
};

} // namespace twin
