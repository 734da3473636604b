#include "devices/mpcore.h"

#include "core/core.h"
#include "core/stop.h"

namespace twin {

namespace {

// SCU: control at 0x00, power at 0x08.
constexpr std::uint32_t scu_config = 0x04, scu_invalidate = 0x0C;
constexpr std::uint32_t filter_start = 0x40, filter_end = 0x44, access_control = 0x50;
constexpr std::uint32_t config_value = 0x0000'0531; // two cores in SMP, tag RAMs for 32 KB each

constexpr std::uint32_t global_timer = 0x200, private_timer = 0x600, watchdog = 0x620;

constexpr unsigned global_ppi = 27, private_ppi = 29, watchdog_ppi = 30;

void runs_out() {
    stop_engine("a private watchdog runs out: the chip would be reset; serve it, or take it out");
}

bool is_scu(std::uint32_t offset) {
    return offset <= scu_invalidate || offset == filter_start || offset == filter_end ||
           offset == access_control;
}

bool is_gic(std::uint32_t offset) {
    return offset >= Mpcore::interface_offset && offset < Mpcore::interface_offset + 0x100;
}

bool is_global(std::uint32_t offset) {
    return offset >= global_timer && offset < global_timer + GlobalTimer::bytes;
}

bool is_private(std::uint32_t offset) {
    return offset >= private_timer && offset < private_timer + PrivateTimer::bytes;
}

bool is_watchdog(std::uint32_t offset) {
    return offset >= watchdog && offset < watchdog + PrivateWatchdog::bytes;
}

} // namespace

Mpcore::Mpcore(EventQueue &events, const MpcorePlace &place, Gic &gic, Time input_delay)
    : place_(place), gic_(gic), global_(events, place.cycle, input_delay,
                                        [this](unsigned core, bool level, Time time) {
                                            gic_.set_ppi(core, global_ppi, level, time);
                                        }),
      private_{PrivateTimer(
                   events, place.cycle, input_delay,
                   [this](bool level, Time time) { gic_.set_ppi(0, private_ppi, level, time); }),
               PrivateTimer(
                   events, place.cycle, input_delay,
                   [this](bool level, Time time) { gic_.set_ppi(1, private_ppi, level, time); })},
      watchdogs_{PrivateWatchdog(
                     events, place.cycle, input_delay,
                     [this](bool level, Time time) { gic_.set_ppi(0, watchdog_ppi, level, time); },
                     runs_out),
                 PrivateWatchdog(
                     events, place.cycle, input_delay,
                     [this](bool level, Time time) { gic_.set_ppi(1, watchdog_ppi, level, time); },
                     runs_out)} {}

std::uint32_t Mpcore::load(const Access &access) {
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    unsigned core = access.core->number();
    if (is_gic(offset))
        return gic_.load(access);
    if (access.size != 4 || offset % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    if (is_private(offset))
        return private_[core].read(offset - private_timer, access.core->time());
    if (is_watchdog(offset))
        return watchdogs_[core].read(offset - watchdog, access.core->time());
    if (is_global(offset))
        return global_.read(core, offset - global_timer, access.core->time());
    if (!is_scu(offset))
        refuse_access(*this, access, "no such register");
    return offset == scu_config ? config_value : scu_[offset / 4];
}

void Mpcore::check_store(const Access &access, std::uint32_t value) const {
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    if (is_gic(offset))
        return gic_.check_store(access, value);
    if (access.size != 4 || offset % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    bool known = is_private(offset) || is_watchdog(offset) || is_global(offset) || is_scu(offset);
    if (!known)
        refuse_access(*this, access, "no such writable register");
    if (is_global(offset) && GlobalTimer::reserved(offset - global_timer, value))
        refuse_access(*this, access, "reserved bits");
}

void Mpcore::start_global_timer() {
    constexpr std::uint32_t control = 0x08, enable = 1;
    global_.write(0, control, enable, 0);
}

Time Mpcore::store(const Access &access, std::uint32_t value, Time arrival) {
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    unsigned core = access.core->number();
    if (is_gic(offset))
        return gic_.store(access, value, arrival);
    if (is_private(offset))
        private_[core].write(offset - private_timer, value, arrival);
    else if (is_watchdog(offset))
        watchdogs_[core].write(offset - watchdog, value, arrival);
    else if (is_global(offset))
        global_.write(core, offset - global_timer, value, arrival);
    else if (offset != scu_invalidate && offset != scu_config) // zero, and read-only
        scu_[offset / 4] = value;
    return arrival;
}

} // namespace twin
