// What may be wrong with the PL, between it and the processor, and with its clock.
#pragma once

#include "core/units.h"

#include <cstdint>

namespace twin {

struct PlFaults {
    // Interrupt lines from the PL to the interrupt controller, by the shell's numbers: 0..15
    // shared, 16..19 private.
    static constexpr unsigned lines = 20;

    std::uint64_t bitstream_absent = 0;
    std::uint64_t isolated = 0; // level shifters off, where a machine has those
    std::uint64_t clock_stopped = 0;
    std::uint64_t pl_period = 0; // in hundredths of a unit; 0: nominal

    // Interrupt lines, as masks of inputs of the controller; `swapped`: the first of two
    // neighbours.
    std::uint64_t stuck_high = 0;
    std::uint64_t stuck_low = 0;
    std::uint64_t inverted = 0;
    std::uint64_t swapped = lines;

    // EMIO pins, as masks: outputs of the first bank and inputs of the second that stay low.
    std::uint64_t out_low = 0;
    std::uint64_t in_low = 0;

    // The gateware: a word that reads with bits turned round, one whose writes are lost.
    std::uint64_t changed_word = ~0ull;
    std::uint64_t change = 0;
    std::uint64_t unwritable_word = ~0ull;

    // Hundredths of a unit of a tick that nominally lasts `tick`.
    std::uint64_t period(Time tick) const { return pl_period ? pl_period : 100 * tick; }

    // The input of the controller that a line of the PL leads to.
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
