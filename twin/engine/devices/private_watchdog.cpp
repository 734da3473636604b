#include "devices/private_watchdog.h"

namespace twin {

namespace {

constexpr std::uint32_t control = 0x08, reset_status = 0x10, disable = 0x14;
constexpr std::uint32_t watch = 1u << 3;
constexpr std::uint32_t first_key = 0x1234'5678, second_key = 0x8765'4321;

} // namespace

std::uint32_t PrivateWatchdog::read(std::uint32_t offset, Time now) const {
    if (offset == reset_status || offset == disable)
        return 0; // it has reset nothing; the other is write-only
    std::uint32_t value = timer_.read(offset, now);
    return offset == control && watches_ ? value | watch : value;
}

void PrivateWatchdog::write(std::uint32_t offset, std::uint32_t value, Time now) {
    if (offset == disable) {
        if (half_disabled_ && value == second_key)
            watches_ = false;
        half_disabled_ = value == first_key;
        return;
    }
    half_disabled_ = false;
    if (offset == reset_status)
        return;
    if (offset == control && value & watch)
        watches_ = true; // which the register alone cannot take back
    timer_.write(offset, value & (offset == control ? ~watch : ~0u), now);
}

} // namespace twin
