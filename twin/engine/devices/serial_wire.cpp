#include "devices/serial_wire.h"

namespace twin {

Sampled sample_byte(std::uint8_t byte, Time sender_bit, Time reader_bit) {
    // Start bit 0, eight data bits, stop bit 1, then the idle line, which is 1.
    auto wire = [&](Time since_start) {
        Time bit = since_start / sender_bit;
        if (bit == 0)
            return 0u;
        return bit <= 8 ? byte >> (bit - 1) & 1u : 1u;
    };
    auto sample = [&](unsigned bit) { return wire(bit * reader_bit + reader_bit / 2); };
    unsigned value = 0;
    for (unsigned i = 0; i < 8; ++i)
        value |= sample(i + 1) << i;
    return {static_cast<std::uint8_t>(value), sample(9) == 0};
}

} // namespace twin
