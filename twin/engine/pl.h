// The PL: the compiled gateware and its share of twin time.
//
// Register `now` equals n from time 24 n to 24 (n + 1), but for a fault of the clock. A change of
// an input pin at time p is sampled by the first clock edge strictly after p. Outputs are read
// after full evaluation, so they are the values that registers took at the edge.
#pragma once

#include "events.h"
#include "faults.h"
#include "profile.h"
#include "trace.h"
#include "units.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

class Virqscope;

namespace twin {

class Pl {
  public:
    struct Identity {
        std::uint32_t source_id;
        std::uint32_t source_hash;
    };
    // `interrupt` drives (line, level, time): lines 0..15 are pl_ps_irq0/1, 16..19
    // pl_ps_apugic_irq.
    using Interrupt = std::function<void(unsigned line, bool level, Time time)>;

    // A rise of stm_event[32 + line] at the PL's pins.
    using StmEvent = std::function<void(unsigned line, Time time)>;

    Pl(const Profile &profile, const Faults &faults, Identity identity, bool skipping, Trace &trace,
       const std::atomic<bool> &quit, Interrupt interrupt, StmEvent stm_event);
    ~Pl();

    // emio_o3, emio_o4 take these values at `time`. Not before any earlier call's time.
    void set_pins(Time time, std::uint32_t bank3, std::uint32_t bank4);

    // Evaluates every edge up to `bound` that can change an output. Precondition: all pin changes
    // before `bound` are known. Returns true, early, when an interrupt line has changed; false
    // when it is there, or, for never, when nothing can happen without a change of pins.
    bool run_until(Time bound);

    // Nothing will ever happen unless a pin changes.
    bool idle() const;

    // No output changes before this time, as far as the pin changes are known.
    Time next_output() const;

    // emio_i3, emio_i4 at `time`, at most 10 us in the past.
    std::array<std::uint32_t, 2> inputs_at(Time time);

    // The tick that `time` lies in.
    std::uint64_t tick_at(Time time) const {
        return ((time + 1) * 100 + faults_.pl_period - 1) / faults_.pl_period - 1;
    }

    std::uint64_t tick() const { return tick_; }
    std::uint64_t evaluated() const { return evaluated_; }

  private:
    struct Pins {
        Time time;
        std::uint32_t bank3, bank4;
    };

    Time edge_of(std::uint64_t tick) const { return tick * faults_.pl_period / 100; }
    std::uint64_t first_target() const;
    void evaluate();
    bool publish();

    const Profile &profile_;
    const Faults &faults_;
    bool skipping_;
    Trace &trace_;
    const std::atomic<bool> &quit_;
    Interrupt interrupt_;
    StmEvent stm_event_;
    std::unique_ptr<Virqscope> model_;
    std::uint64_t tick_ = 0;
    std::uint64_t evaluated_ = 0;
    std::uint32_t lines_ = 0;
    std::uint32_t stm_levels_ = 0;
    std::deque<Pins> pins_;    // changes to come
    std::deque<Pins> history_; // emio_i3, emio_i4 and since when
};

} // namespace twin
