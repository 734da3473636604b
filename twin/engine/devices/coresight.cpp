#include "devices/coresight.h"

#include "core/core.h"

#include <string>

namespace twin {

namespace {

// Arm IHI 0029: lock access and the lower half of the part number's registers.
constexpr unsigned lar = 0xFB0, pidr0 = 0xFE0, pidr1 = 0xFE4;
constexpr std::uint32_t key = 0xC5AC'CE55;
constexpr std::uint32_t designer_low = 0xB0; // Arm, JEP106 0x3B, its low nibble in PIDR1

} // namespace

void check_debug_clock(const DebugBus &bus, const Device &device, const Access &access,
                       const char *whose) {
    if (bus.runs())
        return;
    auto why = std::string(whose) + " clock (" + bus.gate +
               ") is still: on a board the access would never end";
    refuse_access(device, access, why.c_str());
}

void CoreSight::check(const Access &access) const {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    check_debug_clock(bus_, *this, access, "its");
}

std::uint32_t CoreSight::load(const Access &access) {
    check(access);
    auto offset = static_cast<unsigned>(access.address - base_);
    if (offset == pidr0)
        return part_ & 0xFF;
    if (offset == pidr1)
        return designer_low | part_ >> 8;
    return read(access, offset, access.core->time());
}

void CoreSight::check_store(const Access &access, std::uint32_t) const {
    check(access);
    auto offset = static_cast<unsigned>(access.address - base_);
    if (offset != lar && !writable(offset))
        refuse_access(*this, access, "no such writable register");
}

Time CoreSight::store(const Access &access, std::uint32_t value, Time arrival) {
    auto offset = static_cast<unsigned>(access.address - base_);
    if (offset == lar)
        locked_ = value != key;
    else if (!locked_)
        write(offset, value, arrival);
    return arrival;
}

} // namespace twin
