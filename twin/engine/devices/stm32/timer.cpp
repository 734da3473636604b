#include "devices/stm32/timer.h"

#include <algorithm>

namespace twin::stm32 {

namespace {

constexpr std::uint32_t cr1 = 0x00, dier = 0x0C, sr = 0x10, egr = 0x14, cnt = 0x24, psc = 0x28;
constexpr std::uint32_t arr = 0x2C, ccr1 = 0x34, ccr4 = 0x40;
constexpr std::uint32_t runs = 1, update_off = 2, only_overflow = 4, once = 8;

} // namespace

// Counts since `count_` was, which go on above the period.
std::uint64_t Timer::count_at(std::uint64_t cycle) const {
    if (!(control_ & runs) || cycle <= since_)
        return count_;
    return count_ + (cycle - since_) / tick();
}

// Stores the elapsed counts in the count.
void Timer::hold(std::uint64_t cycle) {
    look(cycle);
    std::uint64_t now = count_at(cycle);
    if (control_ & runs)
        since_ += (cycle > since_ ? (cycle - since_) / tick() : 0) * tick();
    count_ = now % period();
    looked_ = count_;
    if (!(control_ & runs))
        since_ = cycle;
}

// Flags of the values passed since the last look.
void Timer::look(std::uint64_t cycle) {
    std::uint64_t now = count_at(cycle);
    if (now <= looked_)
        return;
    if (now / period() > looked_ / period() && !(control_ & update_off)) {
        status_ |= 1;
        if (control_ & once)
            control_ &= ~runs;
    }
    for (unsigned n = 0; n < 4; ++n) {
        std::uint64_t next = looked_ / period() * period() + compare_[n];
        if (next <= looked_)
            next += period();
        if (compare_[n] <= reload_ && next <= now)
            status_ |= 2u << n;
    }
    looked_ = now;
}

// The next count that sets a flag.
void Timer::plan(std::uint64_t cycle) {
    beat_.forget(this);
    if (!(control_ & runs))
        return;
    std::uint64_t now = count_at(cycle), begin = now / period() * period();
    std::uint64_t next = begin + period();
    for (unsigned n = 0; n < 4; ++n) {
        if (!(enabled_ >> (n + 1) & 1) || compare_[n] > reload_)
            continue;
        std::uint64_t at = begin + compare_[n];
        next = std::min(next, at > now ? at : at + period());
    }
    std::uint64_t when = since_ + (next - count_) * tick();
    beat_.call_at(this, when, [this, when] {
        look(when);
        plan(when);
        tell();
    });
}

void Timer::follow(Time at) {
    unsigned ratio = wiring_.ratio();
    if (ratio == ratio_)
        return;
    std::uint64_t cycle = beat_.cycle_at(at);
    hold(cycle);
    since_ = cycle;
    ratio_ = ratio;
    plan(cycle);
}

std::uint32_t Timer::load(std::uint32_t offset, Time at) {
    std::uint64_t cycle = beat_.cycle_at(at);
    look(cycle);
    if (offset >= ccr1 && offset <= ccr4)
        return compare_[(offset - ccr1) / 4];
    switch (offset) {
    case cr1:
        return control_;
    case dier:
        return enabled_;
    case sr:
        return status_;
    case cnt:
        return static_cast<std::uint32_t>(count_at(cycle) % period());
    case psc:
        return next_prescaler_;
    case arr:
        return reload_;
    default: {
        auto found = kept_.find(offset);
        return found == kept_.end() ? 0 : found->second;
    }
    }
}

void Timer::store(std::uint32_t offset, std::uint32_t value, Time at) {
    std::uint64_t cycle = beat_.cycle_at(at);
    ratio_ = wiring_.ratio();
    hold(cycle);
    switch (offset) {
    case cr1:
        if ((value & runs) && !(control_ & runs))
            since_ = cycle;
        control_ = value & 0x3FF;
        break;
    case dier:
        enabled_ = value;
        break;
    case sr:
        status_ &= value;
        break;
    case egr:
        if (value & 1) {
            count_ = looked_ = 0;
            since_ = cycle;
            prescaler_ = next_prescaler_;
            if (!(control_ & only_overflow) && !(control_ & update_off))
                status_ |= 1;
        }
        status_ |= value & 0x1E;
        break;
    case cnt:
        count_ = looked_ = value & greatest_;
        since_ = cycle;
        break;
    case psc: // taken at the next update, which a timer at rest has not yet made
        next_prescaler_ = value & 0xFFFF;
        if (!(control_ & runs))
            prescaler_ = next_prescaler_;
        break;
    case arr:
        reload_ = value & greatest_;
        break;
    default:
        if (offset >= ccr1 && offset <= ccr4)
            compare_[(offset - ccr1) / 4] = value & greatest_;
        else
            kept_[offset] = value;
    }
    plan(cycle);
    tell();
}

} // namespace twin::stm32
