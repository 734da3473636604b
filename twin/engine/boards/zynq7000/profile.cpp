#include "boards/zynq7000/profile.h"

#include "boards/zynq7000/clocks.h"

namespace twin::zynq7000 {

namespace {

constexpr ConstantKey<Profile> keys[] = {
    {"cpu.event", &Profile::event},
    {"l2.path", &Profile::l2_path},
    {"l2.by_way", &Profile::l2_by_way},
};

} // namespace

Profile Profile::from(Constants &constants) {
    Profile profile;
    profile.take(constants);
    take_members(constants, profile, keys);
    take_fixed(constants, {{"clock.cpu_cycle", cpu_cycle},
                           {"clock.private_cycle", private_cycle},
                           {"clock.pl_tick", pl_tick},
                           {"clock.apb_cycle", apb_cycle},
                           {"clock.uart_ref_cycle", uart_ref_cycle}});
    profile.check(cpu_cycle, apb_cycle, {profile.l2_path, profile.event});
    return profile;
}

} // namespace twin::zynq7000
