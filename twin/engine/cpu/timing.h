// What instructions cost a core, where they do not cost a cycle each. One object for each core.
//
// The core calls, for each instruction, prepare(), then either commit() and the functions of its
// instruction set for loads and stores, or flush() when an interrupt or exception comes instead.
// Times are those of units.h.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <functional>
#include <ostream>

namespace twin {

class Timing {
  public:
    virtual ~Timing() = default;

    // How the value of general register n is read.
    virtual void attach(std::function<std::uint64_t(unsigned)> general_register) = 0;

    // The instruction at `pc` is next. Returns when it can issue, not before `earliest`.
    virtual Time prepare(std::uint64_t pc, Time earliest) = 0;

    // It issues at `at`. Returns the earliest time of the next one.
    virtual Time commit(Time at) = 0;

    // The pipeline restarts at `at`: exception entry.
    virtual void flush(Time at) = 0;

    // Length of a cycle.
    virtual void set_cycle(Time cycle) = 0;

    // One JSON object.
    virtual void write_stats(std::ostream &out) const = 0;
};

} // namespace twin
