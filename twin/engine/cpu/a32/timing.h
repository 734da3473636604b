// A model of timing's view of an ARMv7-A core, apart from its instructions.
#pragma once

#include "cpu/a32/registers.h"
#include "cpu/timing.h"

namespace twin::a32 {

class Timing : public twin::Timing {
  public:
    // Instructions are ARM or Thumb from the next one on.
    virtual void enter_set(bool thumb) = 0;

    // The instruction that issued last loads from or stores to `address`, which is `physical` in
    // memory or in a device. Returns the earliest time of the next instruction.
    virtual Time access(std::uint64_t address, std::uint64_t physical, unsigned size,
                        bool store) = 0;

    // A register of coprocessor 15 is written: control of caches and of translation, maintenance.
    virtual void write_register(CoprocessorRegister reg, std::uint32_t value) = 0;
};

} // namespace twin::a32
