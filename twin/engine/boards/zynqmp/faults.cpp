#include "boards/zynqmp/faults.h"

#include "core/settings.h"
#include "generated/machines.h"

namespace twin::zynqmp {

namespace {

constexpr SettingKey<Faults> keys[] = {
    {"debug_clock_off", &Faults::debug_clock_off},
    {"stm_untraced", &Faults::stm_untraced},
    {"ddr_alias", &Faults::ddr_alias},
};

} // namespace

void Faults::set(const std::string &setting) {
    if (!try_member(*this, keys, setting))
        twin::Faults::set(setting);
}

bool Faults::folds(const Program &program) const {
    if (!ddr_alias)
        return false;
    std::uint64_t apart = std::uint64_t{1} << ddr_alias;
    for (const auto &part : program.code) {
        // Somewhere in it both places are part of it.
        bool in_ddr = part.base < machines::zynqmp::ocm_base;
        for (std::uint64_t at = part.base; in_ddr && at < part.base + part.size; at += apart)
            if ((at ^ apart) >= part.base && (at ^ apart) < part.base + part.size)
                return true;
    }
    return false;
}

} // namespace twin::zynqmp
