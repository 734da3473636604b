#include "core/places.h"

#include <algorithm>

namespace twin {

namespace {

// The gateware's time trails the cores' by less than this.
constexpr Time behind = 10'000 * per_ns; // 10 us

} // namespace

bool Places::pass(unsigned pin, Time at) {
    bool soon = last_[pin] && at < last_[pin] + tick_;
    last_[pin] = at;
    if (!armed_) {
        while (!edges_.empty() && edges_.front().time + behind < at)
            edges_.pop_front();
    } else if (soon) {
        return false;
    }
    // Cores of one board are up to a quantum apart.
    auto after = std::upper_bound(edges_.begin(), edges_.end(), at,
                                  [](Time time, const Edge &edge) { return time < edge.time; });
    edges_.insert(after, {at, pin});
    return true;
}

// A place passed while nothing listens makes no edge: it would keep the gateware from resting.
void Places::sees(std::uint32_t, bool armed, Time time) {
    if (armed != armed_)
        told_(armed, time);
    armed_ = armed;
    while (armed && !edges_.empty() && edges_.front().time < time)
        edges_.pop_front();
}

Time Places::next() const { return armed_ && !edges_.empty() ? edges_.front().time : never; }

void Places::run() {
    levels_ ^= 1u << edges_.front().pin;
    edges_.pop_front();
}

} // namespace twin
