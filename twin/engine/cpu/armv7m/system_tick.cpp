#include "cpu/armv7m/system_tick.h"

namespace twin::armv7m {

namespace {

constexpr std::uint32_t enable = 1, interrupts = 2, control_mask = 7, bits_24 = 0xFF'FFFF;
constexpr std::uint32_t count_flag = 1u << 16, no_calibration = 0xC000'0000; // NOREF, SKEW

} // namespace

std::uint32_t SystemTick::value_at(std::uint64_t cycle) const {
    if (!zero_)
        return stopped_;
    std::uint64_t left = zero_ > cycle ? (zero_ - cycle + step() - 1) / step() : 0;
    return left > reload_ ? 0 : static_cast<std::uint32_t>(left); // before it is reloaded: 0
}

void SystemTick::run_from(std::uint64_t cycle, std::uint32_t value) {
    zero_ = 0;
    stopped_ = value;
    if (!(control_ & enable) || (reload_ == 0 && value == 0))
        return;
    std::uint64_t steps = value ? value : std::uint64_t{reload_} + 1;
    zero_ = cycle + steps * step();
    wiring_.call_at(zero_);
}

std::uint32_t SystemTick::load(unsigned number) {
    switch (number) {
    case 0: {
        std::uint32_t value = control_ | (counted_ ? count_flag : 0);
        counted_ = false;
        return value;
    }
    case 1:
        return reload_;
    case 2:
        return value_at(wiring_.cycle());
    default:
        return no_calibration;
    }
}

void SystemTick::store(unsigned number, std::uint32_t value) {
    std::uint64_t cycle = wiring_.cycle();
    std::uint32_t now = value_at(cycle);
    switch (number) {
    case 0:
        value &= control_mask;
        if ((value ^ control_) & (enable | 4)) {
            control_ = value;
            run_from(cycle, now);
        }
        control_ = value;
        return;
    case 1:
        reload_ = value & bits_24;
        if ((control_ & enable) && !zero_)
            run_from(cycle, now);
        return;
    case 2:
        counted_ = false;
        return run_from(cycle, 0);
    default:
        return;
    }
}

void SystemTick::expire(std::uint64_t cycle) {
    if (cycle != zero_)
        return; // it was stopped, or begun again
    counted_ = true;
    if (control_ & interrupts)
        wiring_.pend();
    zero_ = 0;
    stopped_ = 0;
    if (reload_) {
        zero_ = cycle + (std::uint64_t{reload_} + 1) * step();
        wiring_.call_at(zero_);
    }
}

} // namespace twin::armv7m
