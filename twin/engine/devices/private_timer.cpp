#include "devices/private_timer.h"

namespace twin {

namespace {

constexpr std::uint32_t load = 0x0, counter = 0x4, control = 0x8; // and status at 0xC
constexpr std::uint32_t enable = 1, reload = 2, irq = 4, known = 0xFF07;

} // namespace

Time PrivateTimer::count_cycle() const { return cycle_ * ((control_ >> 8 & 0xFF) + 1); }

std::uint32_t PrivateTimer::count(Time now) const {
    if (!(control_ & enable))
        return from_;
    Time passed = (now - since_) / count_cycle();
    return passed >= from_ ? 0 : from_ - static_cast<std::uint32_t>(passed);
}

void PrivateTimer::restart(std::uint32_t from, Time now) {
    from_ = from;
    since_ = now;
    ++generation_;
    if (!(control_ & enable) || from == 0)
        return;
    Time due = now + Time{from} * count_cycle();
    events_.post(due, [this, due, generation = generation_] {
        if (generation == generation_)
            expire(due);
    });
}

// The count has reached 0.
void PrivateTimer::expire(Time now) {
    status_ = 1;
    expired_();
    drive(now);
    if (control_ & reload) {
        Time reloaded = now + count_cycle();
        from_ = 0;
        since_ = now;
        events_.post(reloaded, [this, reloaded, generation = generation_] {
            if (generation == generation_)
                restart(load_, reloaded);
        });
    }
}

void PrivateTimer::drive(Time now) {
    bool level = status_ && (control_ & irq);
    Time seen = now + output_delay_;
    events_.post(seen, [this, level, seen] { output_(level, seen); });
}

std::uint32_t PrivateTimer::read(std::uint32_t offset, Time now) const {
    switch (offset) {
    case load:
        return load_;
    case counter:
        return count(now);
    case control:
        return control_;
    default:
        return status_;
    }
}

void PrivateTimer::write(std::uint32_t offset, std::uint32_t value, Time now) {
    switch (offset) {
    case load: // also sets the counter
        load_ = value;
        restart(value, now);
        break;
    case counter:
        restart(value, now);
        break;
    case control: {
        std::uint32_t from = count(now);
        control_ = value & known;
        restart(from, now);
        drive(now);
        break;
    }
    default:
        status_ &= ~value;
        drive(now);
    }
}

} // namespace twin
