// Recorded inputs of the gateware.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace twin::zynqmp {

// Their changes, by tick.
struct Inputs {
    enum class Signal { emio_o3, emio_o4, pmod_in, skip, skip_to };
    struct Change {
        std::uint64_t tick;
        Signal signal;
        std::uint64_t value;
    };
    std::vector<Change> changes;
    std::uint64_t end = 0; // the tick in front of which it is over

    // Reads "tick,signal,value" rows, as --trace writes them, and last "TICK,end,0". Refuses other
    // signals.
    static Inputs read(const std::string &path);
};

} // namespace twin::zynqmp
