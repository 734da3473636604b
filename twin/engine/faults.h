// What is wrong with this board; nothing unless the command line says so. Each fault acts in the
// model of the part that has it, so that software meets it as it would on a board.
#pragma once

#include "units.h"

#include <array>
#include <cstdint>
#include <string>

namespace twin {

struct Faults {
    // Interrupt lines from the PL to the GIC: 0..15 pl_ps_irq0/1, 16..19 pl_ps_apugic_irq.
    static constexpr unsigned lines = 20;

    // The PL, and what the PS's registers say of it.
    std::uint64_t bitstream_absent = 0;
    std::uint64_t isolated = 0;
    std::uint64_t clock_stopped = 0;
    std::uint64_t reset_held = 0;
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

    // GIC: SPIs whose sensitivity cannot be set.
    std::uint64_t level_only = 0;
    std::uint64_t edge_only = 0;

    // UART: a rate at which bits are 5 % too long; rates from which on bytes to the board get lost;
    // nothing is sent.
    std::uint64_t slow_rate = 0;
    std::uint64_t lossy_from = never;
    std::uint64_t mute = 0;

    // Mask of cores that do not start; what is added to the way to the GPIO controller.
    std::uint64_t dead_cores = 0;
    std::uint64_t gpio_delay = 0;

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

} // namespace twin
