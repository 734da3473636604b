// Receives a core's actions, instruction by instruction. It costs the core no time.
#pragma once

#include "core/units.h"

#include <cstdint>

namespace twin {

class Core;

class Observer {
  public:
    virtual ~Observer() = default;

    // The instruction at `pc` issues at `at`; its effects follow later.
    virtual void executes(Core &core, std::uint64_t pc, Time at) = 0;

    // An interrupt is taken at `at`, in front of the instruction at `pc`.
    virtual void interrupts(Core &core, std::uint64_t pc, Time at) = 0;

    // An interrupt or exception is taken, and will return to `to`. The core is as before.
    virtual void traps(Core &core, std::uint64_t to) = 0;

    // The instruction that issued at `at` stores to `size` bytes from `address` on.
    virtual void stores(Core &core, std::uint64_t address, unsigned size, Time at) = 0;
};

} // namespace twin
