#include "boards/zynq7000/profile.h"

#include "boards/zynq7000/clocks.h"
#include "core/stop.h"

#include <string>

namespace twin::zynq7000 {

namespace {

struct Key {
    const char *name;
    Time Profile::*member;
};

constexpr Key keys[] = {
    {"clock.apb_phase", &Profile::apb_phase},
    {"cpu.interrupt_entry", &Profile::interrupt_entry},
    {"cpu.wfi_wake", &Profile::wfi_wake},
    {"cpu.event", &Profile::event},
    {"cpu.turn", &Profile::turn},
    {"gic.path", &Profile::gic_path},
    {"gic.pl_input", &Profile::gic_pl_input},
    {"gic.ps_input", &Profile::gic_ps_input},
    {"gic.signal", &Profile::gic_signal},
    {"peripheral.path", &Profile::peripheral_path},
    {"l2.path", &Profile::l2_path},
    {"l2.by_way", &Profile::l2_by_way},
    {"gpio.path", &Profile::gpio_path},
    {"gpio.access", &Profile::gpio_access},
    {"gpio.spacing", &Profile::gpio_spacing},
    {"gpio.return", &Profile::gpio_return},
    {"gpio.input", &Profile::gpio_input},
};

// Periods that the engine's arithmetic rests on; the table states them, nobody may change them.
struct Fixed {
    const char *name;
    Time value;
};

constexpr Fixed fixed[] = {
    {"clock.cpu_cycle", cpu_cycle},
    {"clock.private_cycle", private_cycle},
    {"clock.pl_tick", pl_tick},
    {"clock.apb_cycle", apb_cycle},
    {"clock.uart_ref_cycle", uart_ref_cycle},
};

} // namespace

Profile Profile::from(Constants &constants) {
    Profile profile;
    for (const auto &key : keys)
        profile.*key.member = constants.take(key.name);
    for (const auto &key : fixed)
        if (constants.take(key.name) != key.value)
            refuse(std::string("profile constant ") + key.name + " must be " +
                   std::to_string(key.value) + " units: the engine's clocks are fixed");

    if (profile.apb_phase >= apb_cycle)
        refuse("profile constant clock.apb_phase exceeds a cycle");
    if (profile.turn == 0 || profile.turn % cpu_cycle)
        refuse("profile constant cpu.turn must be a positive whole number of cycles");
    // Conservative look-ahead: what one core does may reach another only after a turn.
    for (Time path : {profile.gic_path, profile.peripheral_path, profile.gpio_path, profile.l2_path,
                      profile.event})
        if (profile.turn > path)
            refuse("profile constant cpu.turn exceeds a path between a core and a device");
    if (profile.gpio_access % apb_cycle || profile.gpio_spacing % apb_cycle)
        refuse("profile constants gpio.access and gpio.spacing must be whole APB cycles");
    if (profile.gpio_spacing < profile.gpio_access)
        refuse("profile constant gpio.spacing is below gpio.access");
    return profile;
}

} // namespace twin::zynq7000
