#include "devices/stimulus_ports.h"

#include "core/core.h"

namespace twin {

namespace {

constexpr unsigned port_bytes = 0x100, guaranteed_data_stamped = 0x10;

} // namespace

std::uint32_t StimulusPorts::load(const Access &access) {
    refuse_access(*this, access, "ports are written only");
}

void StimulusPorts::check_store(const Access &access, std::uint32_t) const {
    check_debug_clock(bus_, *this, access, "the STM's");
    if (access.size != 1 || access.address % port_bytes != guaranteed_data_stamped)
        refuse_access(*this, access, "only bytes to G_DTS (offset 0x10 of a port) are modelled");
}

Time StimulusPorts::store(const Access &access, std::uint32_t value, Time arrival) {
    auto port = static_cast<unsigned>(access.address - base_) / port_bytes;
    stm_.stimulus(access.core->number(), port, static_cast<std::uint8_t>(value), arrival);
    return arrival;
}

} // namespace twin
