#include "devices/ttc.h"

#include "core/core.h"

#include <algorithm>

namespace twin {

namespace {

// Registers come in threes, one for each counter.
constexpr std::uint32_t clock_control = 0x00, counter_control = 0x0C, counter_value = 0x18;
constexpr std::uint32_t interval = 0x24, match_1 = 0x30, match_3 = 0x48;
constexpr std::uint32_t status = 0x54, enable = 0x60, event_control = 0x6C, event_register = 0x78;
constexpr std::uint32_t end = 0x84, of_three = 0x0C;

// Clock control: prescaler and its enable; external clock.
constexpr std::uint32_t prescales = 1, external = 1u << 5, clock_bits = 0x7F;
// Counter control.
constexpr std::uint32_t by_interval = 1u << 1, decrements = 1u << 2, matches_on = 1u << 3;
constexpr std::uint32_t restarts = 1u << 4, control_bits = 0x7F;
// Interrupts: a round by the interval, matches, a round of the whole width.
constexpr std::uint32_t interval_passed = 1, first_match = 2, overflow = 1u << 4, all = 0x3F;

} // namespace

// How many steps it takes to come round.
std::uint64_t Ttc::round(const Counter &counter) const {
    std::uint64_t whole = std::uint64_t{1} << place_.width;
    return counter.control & by_interval ? std::uint64_t{counter.interval} + 1 : whole;
}

Time Ttc::step(const Counter &counter) const {
    unsigned power = counter.clock & prescales ? (counter.clock >> 1 & 0xF) + 1 : 0;
    return place_.cycle << power;
}

std::uint64_t Ttc::steps(const Counter &counter, Time now) const {
    return counter.counted + (runs(counter) ? (now - counter.since) / step(counter) : 0);
}

std::uint32_t Ttc::value(const Counter &counter, Time now) const {
    std::uint64_t at = steps(counter, now) % round(counter);
    return static_cast<std::uint32_t>(counter.control & decrements ? round(counter) - 1 - at : at);
}

// Stores its count when its clock changes.
void Ttc::settle(Counter &counter, Time now) {
    counter.counted = steps(counter, now) % round(counter);
    counter.since = now;
    ++counter.generation;
}

// The next step of the counter that raises an interrupt.
void Ttc::plan(unsigned index, Time now) {
    auto &counter = counters_[index];
    if (!runs(counter))
        return;
    std::uint64_t all_steps = round(counter), at = counter.counted;
    std::uint64_t least = all_steps - at; // until it comes round
    std::uint32_t raised = counter.control & by_interval ? interval_passed : overflow;
    if (counter.control & matches_on)
        for (unsigned n = 0; n < counter.matches.size(); ++n) {
            std::uint64_t match = counter.matches[n];
            if (match >= all_steps)
                continue;
            if (counter.control & decrements)
                match = all_steps - 1 - match;
            std::uint64_t until = match > at ? match - at : match + all_steps - at;
            if (until < least)
                raised = 0;
            if (until <= least) {
                least = until;
                raised |= first_match << n;
            }
        }
    Time due = now + least * step(counter);
    events_.post(due, [this, index, due, raised, generation = counter.generation] {
        auto &it = counters_[index];
        if (generation != it.generation)
            return;
        settle(it, due);
        it.status |= raised;
        drive(index, due);
        plan(index, due);
    });
}

void Ttc::drive(unsigned index, Time now) {
    auto &counter = counters_[index];
    bool level = counter.status & counter.enabled;
    if (level == counter.level)
        return;
    counter.level = level;
    Time seen = now + output_delay_;
    events_.post(seen, [this, index, level, seen] { output_(index, level, seen); });
}

std::uint32_t Ttc::load(const Access &access) {
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    if (access.size != 4 || offset % 4 || offset >= end)
        refuse_access(*this, access, "no such register");
    unsigned index = offset / 4 % counters;
    auto &counter = counters_[index];
    Time now = access.core->time();
    switch (offset - offset % of_three) {
    case clock_control:
        return counter.clock;
    case counter_control:
        return counter.control;
    case counter_value:
        return value(counter, now);
    case interval:
        return counter.interval;
    case status: { // cleared by this
        std::uint32_t seen = counter.status;
        counter.status = 0;
        drive(index, now);
        return seen;
    }
    case enable:
        return counter.enabled;
    case event_control:
    case event_register:
        return 0;
    default:
        return counter.matches[(offset - match_1) / of_three];
    }
}

void Ttc::check_store(const Access &access, std::uint32_t value) const {
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    if (access.size != 4 || offset % 4 || offset >= end)
        refuse_access(*this, access, "no such register");
    std::uint32_t which = offset - offset % of_three;
    if (which == clock_control && value & external)
        refuse_access(*this, access, "an external clock is not modelled");
    if (which == event_control && value & 1)
        refuse_access(*this, access, "the event timer is not modelled");
}

Time Ttc::store(const Access &access, std::uint32_t value, Time arrival) {
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    unsigned index = offset / 4 % counters;
    auto &counter = counters_[index];
    auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << place_.width) - 1);
    std::uint32_t which = offset - offset % of_three;
    if (which == enable) {
        counter.enabled = value & all;
        drive(index, arrival);
        return arrival;
    }
    bool counts_otherwise = which == clock_control || which == counter_control ||
                            which == interval || (which >= match_1 && which <= match_3);
    if (!counts_otherwise)
        return arrival; // read-only
    settle(counter, arrival);
    if (which == clock_control) {
        counter.clock = value & clock_bits;
    } else if (which == counter_control) {
        counter.control = value & control_bits & ~restarts;
        if (value & restarts)
            counter.counted = 0;
    } else if (which == interval) {
        counter.interval = value & mask;
    } else {
        counter.matches[(which - match_1) / of_three] = value & mask;
    }
    counter.counted %= round(counter);
    plan(index, arrival);
    return arrival;
}

} // namespace twin
