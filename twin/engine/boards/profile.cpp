#include "boards/profile.h"

#include "core/stop.h"

#include <string>

namespace twin {

namespace {

constexpr ConstantKey<BoardProfile> keys[] = {
    {"clock.apb_phase", &BoardProfile::apb_phase},
    {"cpu.interrupt_entry", &BoardProfile::interrupt_entry},
    {"cpu.wfi_wake", &BoardProfile::wfi_wake},
    {"cpu.quantum", &BoardProfile::quantum},
    {"gic.path", &BoardProfile::gic_path},
    {"gic.pl_input", &BoardProfile::gic_pl_input},
    {"gic.ps_input", &BoardProfile::gic_ps_input},
    {"gic.signal", &BoardProfile::gic_signal},
    {"peripheral.path", &BoardProfile::peripheral_path},
    {"gpio.path", &BoardProfile::gpio_path},
    {"gpio.access", &BoardProfile::gpio_access},
    {"gpio.spacing", &BoardProfile::gpio_spacing},
    {"gpio.return", &BoardProfile::gpio_return},
    {"gpio.input", &BoardProfile::gpio_input},
};

} // namespace

void BoardProfile::take(Constants &constants) { take_members(constants, *this, keys); }

void BoardProfile::check(Time cpu_cycle, Time apb_cycle, std::initializer_list<Time> paths) const {
    if (apb_phase >= apb_cycle)
        refuse("profile constant clock.apb_phase exceeds a cycle");
    if (quantum == 0 || quantum % cpu_cycle)
        refuse("profile constant cpu.quantum must be a positive whole number of cycles");
    // Conservative look-ahead: what one core does may reach another only after a quantum.
    bool exceeds = quantum > gic_path || quantum > peripheral_path || quantum > gpio_path;
    for (Time path : paths)
        exceeds = exceeds || quantum > path;
    if (exceeds)
        refuse("profile constant cpu.quantum exceeds a path between a core and a device");
    if (gpio_access % apb_cycle || gpio_spacing % apb_cycle)
        refuse("profile constants gpio.access and gpio.spacing must be whole APB cycles");
    if (gpio_spacing < gpio_access)
        refuse("profile constant gpio.spacing is below gpio.access");
}

void take_fixed(Constants &constants, std::initializer_list<FixedPeriod> periods) {
    for (const auto &period : periods)
        if (constants.take(period.name) != period.value)
            refuse(std::string("profile constant ") + period.name + " must be " +
                   std::to_string(period.value) + " units: the engine's clocks are fixed");
}

} // namespace twin
