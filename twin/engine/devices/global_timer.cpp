#include "devices/global_timer.h"

namespace twin {

namespace {

constexpr std::uint32_t count_low = 0x00, count_high = 0x04, control = 0x08, status = 0x0C;
constexpr std::uint32_t compare_low = 0x10, compare_high = 0x14; // and the increment at 0x18
constexpr std::uint32_t enable = 1, banked = 0xE, known = 0xFF0F;
constexpr std::uint32_t compare_enable = 2, compare_irq = 4, compare_auto = 8;

} // namespace

Time GlobalTimer::count_cycle() const { return cycle_ * ((control_ >> 8 & 0xFF) + 1); }

std::uint64_t GlobalTimer::count(Time now) const {
    if (!(control_ & enable))
        return from_;
    return from_ + (now - since_) / count_cycle();
}

// Sets the event of a core's comparator when it is due, or later when it will be.
void GlobalTimer::compare(unsigned core, Time now) {
    auto &comparator = comparators_[core];
    ++comparator.generation;
    if (!(control_ & enable) || !(comparator.control & compare_enable))
        return;
    if (count(now) < comparator.value) {
        std::uint64_t cycles = comparator.value - from_;
        if (cycles > (never - since_) / count_cycle())
            return;
        Time due = since_ + cycles * count_cycle();
        events_.post(due, [this, core, due, generation = comparator.generation] {
            if (generation == comparators_[core].generation)
                compare(core, due);
        });
        return;
    }
    if (!comparator.status) {
        comparator.status = 1;
        bool level = comparator.control & compare_irq;
        Time seen = now + output_delay_;
        events_.post(seen, [this, core, level, seen] { output_(core, level, seen); });
    }
    if (comparator.control & compare_auto && comparator.increment) {
        comparator.value += comparator.increment;
        compare(core, now);
    }
}

std::uint32_t GlobalTimer::read(unsigned core, std::uint32_t offset, Time now) const {
    const auto &comparator = comparators_[core];
    switch (offset) {
    case count_low:
        return static_cast<std::uint32_t>(count(now));
    case count_high:
        return static_cast<std::uint32_t>(count(now) >> 32);
    case control:
        return control_ | comparator.control;
    case status:
        return comparator.status;
    case compare_low:
        return static_cast<std::uint32_t>(comparator.value);
    case compare_high:
        return static_cast<std::uint32_t>(comparator.value >> 32);
    default:
        return comparator.increment;
    }
}

void GlobalTimer::write(unsigned core, std::uint32_t offset, std::uint32_t value, Time now) {
    auto &comparator = comparators_[core];
    auto halves = [&](std::uint64_t whole) {
        bool low = offset == count_low || offset == compare_low;
        return low ? (whole & ~0xFFFF'FFFFull) | value
                   : (whole & 0xFFFF'FFFF) | std::uint64_t{value} << 32;
    };
    switch (offset) {
    case count_low:
    case count_high:
        from_ = halves(count(now));
        since_ = now;
        break;
    case control:
        comparator.control = value & banked;
        value &= known & ~banked;
        if (value == control_) // it counts on, also within a count
            break;
        from_ = count(now);
        since_ = now;
        control_ = value;
        break;
    case status:
        comparator.status &= ~value;
        output_(core, comparator.status, now);
        return;
    case compare_low:
    case compare_high:
        comparator.value = halves(comparator.value);
        break;
    default:
        comparator.increment = value;
    }
    for (unsigned each = 0; each < cores; ++each)
        compare(each, now);
}

bool GlobalTimer::reserved(std::uint32_t offset, std::uint32_t value) {
    return offset == control && value & ~known;
}

} // namespace twin
