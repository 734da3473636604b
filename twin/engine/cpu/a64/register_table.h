// The system registers of a Cortex-A53 by name, and who keeps each.
#pragma once

#include "cpu/a64/registers.h"

#include <cstdint>
#include <string>

namespace twin::a64 {

enum class Keeper : std::uint8_t {
    emulator, // Unicorn, which stores and honours it as the architecture says
    here,     // a model of this engine's
    store,    // this engine: it keeps what is written, and nothing else depends on it
    constant, // this engine: a write is ignored
};

struct KnownRegister {
    const char *name;
    SystemRegister reg;
    Keeper keeper;
    std::uint64_t reset = 0; // of `store` and `constant`
    bool in_emulator = true; // Unicorn decodes it; otherwise it is an undefined instruction there
};

// Null: a Cortex-A53 has no such register, or nothing here knows it.
const KnownRegister *known_register(SystemRegister reg);

// "VTTBR_EL2", or S3_4_C2_C1_0 of one without a name.
std::string name_of_register(SystemRegister reg);

} // namespace twin::a64
