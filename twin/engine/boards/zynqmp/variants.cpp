#include "boards/zynqmp/variants.h"

#include "core/settings.h"

namespace twin::zynqmp {

namespace {

constexpr SettingKey<Variants> keys[] = {
    {"ppisr", &Variants::ppisr},
    {"sgi_enables", &Variants::sgi_enables},
    {"icfgr_even_zero", &Variants::icfgr_even_zero},
    {"pl_power", &Variants::pl_power},
    {"parked", &Variants::parked},
    {"cpuactlr_0", &Variants::cpuactlr_0},
    {"uart_fifo", &Variants::uart_fifo},
    {"cycles_in_wfi", &Variants::cycles_in_wfi},
};

} // namespace

void Variants::set(const std::string &setting) { set_member(*this, keys, setting, "variant"); }

} // namespace twin::zynqmp
