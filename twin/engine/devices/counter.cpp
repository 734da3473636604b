#include "devices/counter.h"

#include "core/core.h"

namespace twin {

namespace {
constexpr std::uint32_t control = 0x00;   // CNTCR: bit 0 enables
constexpr std::uint32_t frequency = 0x20; // CNTFID0: storage only
} // namespace

std::uint64_t SystemCounter::count(Time time) const {
    return enabled_ ? base_ + (time - since_) / cycle_ : base_;
}

Time SystemCounter::time_of(std::uint64_t value) const {
    if (!enabled_)
        return never;
    if (value <= base_)
        return since_;
    std::uint64_t cycles = value - base_;
    return cycles > (never - since_) / cycle_ ? never : since_ + cycles * cycle_;
}

std::uint32_t SystemCounter::load(const Access &access) {
    if (access.size == 4 && access.address % 0x1000 == control)
        return enabled_;
    if (access.size == 4 && access.address % 0x1000 == frequency)
        return frequency_;
    refuse_access(*this, access, "no such register");
}

void SystemCounter::check_store(const Access &access, std::uint32_t value) const {
    std::uint32_t offset = access.address % 0x1000;
    if (access.size != 4 || (offset != control && offset != frequency))
        refuse_access(*this, access, "no such register");
    if (offset == control && value > 1)
        refuse_access(*this, access, "only CNTCR.EN is modelled");
}

Time SystemCounter::store(const Access &access, std::uint32_t value, Time arrival) {
    if (access.address % 0x1000 == frequency) {
        frequency_ = value;
        return arrival;
    }
    set_enabled(value & 1, arrival);
    return arrival;
}

void SystemCounter::enable(Time time) { set_enabled(true, time); }

void SystemCounter::set_enabled(bool enabled, Time time) {
    base_ = count(time);
    since_ = time;
    enabled_ = enabled;
    for (auto &observer : observers_)
        observer(time);
}

} // namespace twin
