#include "boards/zynqmp/faults.h"

#include "core/settings.h"

namespace twin::zynqmp {

namespace {

constexpr SettingKey<Faults> keys[] = {
    {"debug_clock_off", &Faults::debug_clock_off},
    {"stm_untraced", &Faults::stm_untraced},
};

} // namespace

void Faults::set(const std::string &setting) {
    if (!try_member(*this, keys, setting))
        twin::Faults::set(setting);
}

} // namespace twin::zynqmp
