// What is wrong with this board; nothing unless the command line says so. Each fault acts in the
// model of the part that has it, so that software meets it as it would on a board.
#pragma once

#include "boards/zynqmp/clocks.h"
#include "devices/gic.h"
#include "devices/gpio.h"
#include "devices/uart.h"

#include <cstdint>
#include <string>

namespace twin::zynqmp {

struct Faults : GicFaults, GpioFaults, UartFaults {
    // Interrupt lines from the PL to the GIC: 0..15 pl_ps_irq0/1, 16..19 pl_ps_apugic_irq.
    static constexpr unsigned lines = 20;

    // The PL, and what the PS's registers say of it.
    std::uint64_t bitstream_absent = 0;
    std::uint64_t isolated = 0;
    std::uint64_t clock_stopped = 0;
    std::uint64_t pl_period = 100 * pl_tick; // in hundredths of a unit

    // Interrupt lines, as masks of inputs of the GIC; `swapped` is the first of two neighbours.
    std::uint64_t stuck_high = 0;
    std::uint64_t stuck_low = 0;
    std::uint64_t inverted = 0;
    std::uint64_t swapped = lines;

    // EMIO pins, as masks: outputs of bank 3 and inputs of bank 4 that stay low.
    std::uint64_t out3_low = 0;
    std::uint64_t in4_low = 0;

    // The gateware: a word that reads with bits turned round, one whose writes are lost.
    std::uint64_t changed_word = ~0ull;
    std::uint64_t change = 0;
    std::uint64_t unwritable_word = ~0ull;

    // Mask of cores that do not start.
    std::uint64_t dead_cores = 0;

    // CRF_APB: the gate of DBG_FPD_CTRL stays shut. STM: secure non-invasive debug is off.
    std::uint64_t debug_clock_off = 0;
    std::uint64_t stm_untraced = 0;

    // Sets a member by "name=number"; anything else is refused.
    void set(const std::string &setting);

    bool pl_works() const { return !(bitstream_absent || isolated || clock_stopped || reset_held); }

    // The input of the GIC that a line of the PL leads to.
    unsigned input_of(unsigned line) const {
        return line == swapped ? line + 1 : line == swapped + 1 ? line - 1 : line;
    }

    // What that input sees.
    bool level_at(unsigned input, bool level) const {
        level ^= inverted >> input & 1;
        return (level || (stuck_high >> input & 1)) && !(stuck_low >> input & 1);
    }
};

} // namespace twin::zynqmp
