#include "cpu/event_counters.h"

namespace twin {

namespace {

constexpr std::uint32_t event_of(std::uint32_t type) { return type & 0x3FF; }

} // namespace

// Takes what it has counted into its base.
void EventCounters::settle(Counter &counter) const {
    auto now = source_(event_of(counter.type));
    if (counter.runs && !now)
        counter.unknown = true;
    if (counter.runs && now)
        counter.base += static_cast<std::uint32_t>(*now - counter.since);
    counter.since = now.value_or(0);
}

void EventCounters::run(std::uint32_t mask) {
    for (unsigned n = 0; n < counters; ++n) {
        bool runs = mask >> n & 1;
        if (runs == all_[n].runs)
            continue;
        settle(all_[n]);
        all_[n].runs = runs;
    }
}

void EventCounters::set_type(unsigned counter, std::uint32_t type) {
    settle(at(counter));
    at(counter).type = type;
    at(counter).since = source_(event_of(type)).value_or(0);
}

std::optional<std::uint32_t> EventCounters::value(unsigned counter) const {
    Counter copy = at(counter);
    settle(copy);
    return copy.unknown ? std::nullopt : std::optional(copy.base);
}

void EventCounters::set_value(unsigned counter, std::uint32_t value) {
    settle(at(counter));
    at(counter).base = value;
    at(counter).unknown = false;
}

void EventCounters::increment(std::uint32_t mask) {
    for (unsigned n = 0; n < counters; ++n)
        if (mask >> n & 1 && all_[n].runs && event_of(all_[n].type) == 0)
            ++all_[n].base;
}

void EventCounters::clear() {
    for (unsigned n = 0; n < counters; ++n)
        set_value(n, 0);
}

} // namespace twin
