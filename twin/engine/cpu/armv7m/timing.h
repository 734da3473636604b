// Interface of a model of timing to an Armv7-M core. All counts are cycles of the core.
#pragma once

#include "cpu/thumb.h"

#include <cstdint>
#include <ostream>

namespace twin::armv7m {

class Timing {
  public:
    virtual ~Timing() = default;

    // Cycle in which the instruction at `pc`, whose predecessor is done at `cycle`, is there.
    virtual std::uint64_t fetch(std::uint32_t pc, unsigned size, std::uint64_t cycle) = 0;

    // The instruction at `pc` begins at `cycle`; `executes`: its condition holds.
    virtual void begin(const thumb::Instruction &it, std::uint32_t pc, bool executes,
                       std::uint64_t cycle) = 0;

    // It accesses memory or a device. Returns the cycle in which the access is at its end.
    virtual std::uint64_t access(std::uint32_t address, unsigned size, bool store) = 0;

    // It is done, and `next` is where it led. Returns the cycle in which the next one can begin.
    virtual std::uint64_t end(std::uint32_t next) = 0;

    // An exception is taken at `cycle`: `words` go to the stack at `stack`, and its handler is at
    // `handler` by the vector at `vector`. Returns when the handler's first instruction begins.
    virtual std::uint64_t enter(std::uint64_t cycle, std::uint32_t stack, unsigned words,
                                std::uint32_t vector, std::uint32_t handler) = 0;

    // The same where nothing is stacked: another handler has just ended.
    virtual std::uint64_t chain(std::uint64_t cycle, std::uint32_t vector,
                                std::uint32_t handler) = 0;

    // A higher one came at `cycle` while one was entered, which began at `began`.
    virtual std::uint64_t late(std::uint64_t began, std::uint64_t cycle, std::uint32_t vector,
                               std::uint32_t handler) = 0;
    // Until when after the begin of an entry that may be.
    virtual std::uint64_t late_until(std::uint64_t began) const = 0;

    // A handler ends at `cycle`: `words` come from the stack, and execution goes on at `pc`.
    virtual std::uint64_t leave(std::uint64_t cycle, std::uint32_t stack, unsigned words,
                                std::uint32_t pc) = 0;

    // `words` registers of the FPU go to the stack before the next instruction.
    virtual std::uint64_t save_lazily(std::uint64_t cycle, unsigned words) = 0;

    // Cycles from the event that ends a sleep to the next instruction.
    virtual std::uint64_t wake(std::uint64_t cycle) = 0;

    // One JSON object.
    virtual void write_stats(std::ostream &out) const = 0;
};

} // namespace twin::armv7m
