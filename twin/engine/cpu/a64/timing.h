// A model of timing's view of an AArch64 core, apart from its instructions.
#pragma once

#include "cpu/a64/registers.h"
#include "cpu/timing.h"

namespace twin::a64 {

class Timing : public twin::Timing {
  public:
    // The instruction that issued last makes its loads and stores; accesses to devices have a time
    // of their own. Returns the earliest time of the next instruction.
    virtual Time access() = 0;

    // How the current exception level is read.
    virtual void attach_level(std::function<unsigned()> level) = 0;

    // A system register is written.
    virtual void write_register(SystemRegister reg, std::uint64_t value) = 0;
};

} // namespace twin::a64
