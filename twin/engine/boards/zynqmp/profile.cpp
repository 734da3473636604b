#include "boards/zynqmp/profile.h"

#include "boards/zynqmp/clocks.h"

namespace twin::zynqmp {

namespace {

constexpr ConstantKey<Profile> keys[] = {
    {"gic.select_pending", &Profile::gic_select_pending},
    {"gic.select_enabled", &Profile::gic_select_enabled},
    {"stm.path", &Profile::stm_path},
    {"stm.event", &Profile::stm_event},
};

} // namespace

Profile Profile::from(Constants &constants) {
    Profile profile;
    profile.take(constants);
    take_members(constants, profile, keys);
    take_fixed(constants, {{"clock.cpu_cycle", cpu_cycle},
                           {"clock.pl_tick", pl_tick},
                           {"clock.apb_cycle", apb_cycle},
                           {"clock.uart_ref_cycle", uart_ref_cycle},
                           {"clock.system_counter_cycle", system_counter_cycle},
                           {"clock.timestamp_cycle", timestamp_cycle}});
    profile.check(cpu_cycle, apb_cycle, {profile.stm_path});
    return profile;
}

} // namespace twin::zynqmp
