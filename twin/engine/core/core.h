// A core as the rest of the board sees it: it has a time and a state, and runs to a horizon.
//
// cpu/ executes instructions, and timing/ gives the cost of each.
#pragma once

#include "core/call_chain.h"
#include "core/units.h"

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

namespace twin {

class Observer;

class Core {
  public:
    enum class State {
        reset,   // held in reset
        running, // wants to execute at time()
        stalled, // a barrier waits for a device
        wfi,     // asleep until an interrupt is signalled
        spin,    // in a branch to itself, until an interrupt is taken; same as executing it
    };

    explicit Core(unsigned number) : number_(number) {}
    virtual ~Core() = default;
    Core(const Core &) = delete;
    Core &operator=(const Core &) = delete;

    unsigned number() const { return number_; }
    State state() const { return state_; }

    // Start of its next instruction; the moment it fell asleep, if it sleeps.
    Time time() const { return time_; }
    std::uint64_t instructions() const { return instructions_; }

    // Time spent asleep up to `now`, and in barriers that waited for a device.
    virtual Time asleep_until(Time now) const = 0;
    virtual Time stalled() const = 0;

    // Executes up to `horizon`, exclusive, or until the core yields for another reason. `alone`:
    // no other core runs. Precondition: running, the earliest of all, and every event up to time()
    // is done.
    virtual void run(Time horizon, bool alone) = 0;

    // Something was posted for `time`: the running core must not pass it.
    virtual void lower_horizon(Time time) = 0;

    // From within an access of this core: goes on at `time`, everybody else first.
    virtual void wait_until(Time time) = 0;

    // For the reports.
    virtual void dump(std::ostream &out) const = 0;

    // How reports write an address of code; by itself, its number alone.
    void attach_names(std::function<std::string(std::uint64_t)> names) {
        names_ = std::move(names);
    }
    std::string where(std::uint64_t address) const;

    // Tells `observer` of each instruction, and, if `stores`, of each store. Before it leaves
    // reset.
    virtual void observe(Observer &observer, bool stores) = 0;

    // Whether the interrupt inputs could not interrupt the current instruction.
    virtual bool masks_irq() const = 0;

    // The instruction at `pc`, which is next, as a chain of calls takes it.
    virtual CallChain::Instruction instruction(std::uint64_t pc) const = 0;

    virtual std::uint64_t stack_pointer() const = 0;

    // Whether the instruction at `pc` consists of zeros, as memory does that nobody wrote.
    virtual bool is_zero(std::uint64_t pc) const = 0;

  protected:
    const unsigned number_;
    State state_ = State::reset;
    Time time_ = 0;
    std::uint64_t instructions_ = 0;

  private:
    std::function<std::string(std::uint64_t)> names_;
};

} // namespace twin
