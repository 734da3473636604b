// Exceptions of an Armv7-M core and their states: Arm DDI 0403E, B1.5 and B3.4. It knows neither
// registers' addresses nor time.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace twin::armv7m {

// Numbers of exceptions.
enum Exception : unsigned {
    reset = 1,
    nmi = 2,
    hard_fault = 3,
    mem_manage = 4,
    bus_fault = 5,
    usage_fault = 6,
    sv_call = 11,
    debug_monitor = 12,
    pend_sv = 14,
    sys_tick = 15,
    first_interrupt = 16,
};

// Masks that are registers of the core.
struct Masks {
    bool primask = false, faultmask = false;
    unsigned basepri = 0;
};

class Nvic {
  public:
    static constexpr unsigned most = 256;
    static constexpr int thread_priority = 256;

    // `interrupts`: how many it has; `bits`: of a priority that are implemented.
    Nvic(unsigned interrupts, unsigned bits);

    unsigned count() const { return count_; }
    unsigned interrupts() const { return count_ - first_interrupt; }

    // Called after each change that may let an exception be taken, and before when one that did not
    // pend does, enabled or not.
    void attach(std::function<void()> changed, std::function<void()> pended) {
        changed_ = std::move(changed);
        pended_ = std::move(pended);
    }

    // ---- state ----
    bool enabled(unsigned number) const { return number < first_interrupt || enabled_[number]; }
    bool pending(unsigned number) const { return pending_[number]; }
    bool active(unsigned number) const { return active_[number]; }
    unsigned priority(unsigned number) const { return priority_[number]; }
    unsigned grouping() const { return grouping_; }
    void set_enabled(unsigned number, bool on);
    void set_priority(unsigned number, unsigned value);
    void set_grouping(unsigned value);
    void set_pending(unsigned number, bool on);
    // The line of an interrupt: while it is high it pends again when its handler ends.
    void set_level(unsigned number, bool high);

    // ---- what the core does ----
    // The exception that would be taken now, were it of a higher priority than what executes.
    std::optional<unsigned> first() const { return first_; }
    // The same if it is.
    std::optional<unsigned> takeable(const Masks &masks) const;
    // Priority of what executes, lower is more urgent; `masks` boost it.
    int execution_priority(const Masks &masks) const;
    // Priority of an exception as far as it decides about pre-emption.
    int group_priority(unsigned number) const;
    void activate(unsigned number);
    void deactivate(unsigned number);
    // A late arrival goes first: as if this one had never been taken.
    void give_back(unsigned number);
    // How many are active.
    unsigned nesting() const { return static_cast<unsigned>(active_.count()); }

  private:
    void update();
    int group_of(unsigned value) const;

    const unsigned count_, mask_;
    unsigned grouping_ = 0;
    std::bitset<most> enabled_, pending_, active_, level_;
    unsigned priority_[most] = {};
    std::optional<unsigned> first_;
    std::function<void()> changed_ = [] {}, pended_ = [] {};
};

} // namespace twin::armv7m
