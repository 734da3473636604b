#include "timing/a53/port.h"

#include "timing/a53/cache.h"

#include <algorithm>

namespace twin::a53 {

Time Port::take(Time time, unsigned bytes) {
    Time begin = std::max(time, free_);
    if (refresh_period_) {
        Time phase = begin % refresh_period_;
        if (phase < refresh_time_)
            begin += refresh_time_ - phase;
    }
    free_ = begin + line_time_ * bytes / line_bytes;
    return begin;
}

Time Port::wait_for_room(Time time, unsigned lines) const {
    Time room = time + lines * line_time_;
    return free_ > room ? free_ - room : 0;
}

} // namespace twin::a53
