// A byte on a serial line between a sender and a receiver of different rates, which are given by
// how long a bit lasts.
#pragma once

#include "core/units.h"

#include <cstdint>

namespace twin {

// Whether bits are so alike that a receiver of either length reads what is sent with the other.
inline bool fits(Time bit, Time own) {
    return (bit > own ? bit - own : own - bit) * 100 <= 3 * own;
}

// Returns the byte that a receiver of `reader_bit` assembles from `byte` sent with `sender_bit`,
// and whether its stop bit is wrong.
struct Sampled {
    std::uint8_t byte;
    bool framing_error;
};
Sampled sample_byte(std::uint8_t byte, Time sender_bit, Time reader_bit);

} // namespace twin
