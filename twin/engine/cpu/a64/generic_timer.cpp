#include "cpu/a64/generic_timer.h"

namespace twin::a64 {

std::uint64_t GenericTimer::read(unsigned op2, Time now) const {
    switch (op2) {
    case 0:
        return (compare_ - count(now)) & 0xFFFF'FFFF;
    case 1:
        return std::uint64_t{enabled_} | std::uint64_t{masked_} << 1 |
               std::uint64_t{enabled_ && due(now)} << 2;
    default:
        return compare_;
    }
}

void GenericTimer::write(unsigned op2, std::uint64_t value, Time now) {
    switch (op2) {
    case 0:
        compare_ =
            count(now) + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
        break;
    case 1:
        enabled_ = value & 1;
        masked_ = value >> 1 & 1;
        break;
    default:
        compare_ = value;
    }
    update(now);
}

void GenericTimer::set_offset(std::uint64_t value, Time now) {
    offset_ = value;
    update(now);
}

void GenericTimer::update(Time now) {
    ++generation_;
    bool level = enabled_ && !masked_ && due(now);
    if (level != level_) {
        level_ = level;
        output_(level, now);
    }
    if (!enabled_ || masked_)
        return;
    // The next change: at the compare value, or when the count begins again at 0. A distance of 0
    // is one of 2^64.
    std::uint64_t counts = (level ? 0 : compare_) - count(now);
    std::uint64_t counter = counter_.count(now);
    Time time = counts == 0 || counts > ~counter ? never : counter_.time_of(counter + counts);
    if (time == never)
        return;
    events_.post(time, [this, time, generation = generation_] {
        if (generation == generation_)
            update(time);
    });
}

} // namespace twin::a64
