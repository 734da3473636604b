#include "boards/zynq7000/control.h"

#include "core/stop.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace twin::zynq7000 {

namespace {

constexpr std::uint64_t slcr = 0xF800'0000, devcfg = 0xF800'7000, efuse = 0xF800'D000;

// SLCR: what unlocks it, and what can be changed here.
constexpr std::uint32_t lock = 0x004, unlock = 0x008, lock_status = 0x00C;
constexpr std::uint32_t lock_key = 0x767B, unlock_key = 0xDF0D;
constexpr std::uint32_t fpga_rst_ctrl = 0x240, lvl_shftr_en = 0x900, fpga0_clk_ctrl = 0x170;
constexpr std::uint32_t a9_cpu_rst_ctrl = 0x244, ocm_cfg = 0x910, l2c_ram = 0xA1C;
constexpr std::uint32_t ocm_high = 0x0F;
constexpr std::uint32_t core_1 = 0x22; // its reset and the gate of its clock
constexpr std::uint32_t pll_status = 0x10C, first_clock = 0x100, last_clock = 0x1D8;
constexpr std::uint32_t end_of_slcr = 0xB78;

// DEVCFG: interrupt status, of which PCFG_DONE tells that the PL is configured; status.
constexpr std::uint32_t int_sts = 0x00C, status = 0x014;
constexpr std::uint32_t pcfg_done = 1u << 2, pcfg_init = 1u << 4;

// eFUSE: status, whose bit 7 is set in a device of one core (boot.S of Xilinx's standalone BSP).
constexpr std::uint32_t efuse_status = 0x010;

// ps7_init of the ZedBoard with FCLK_CLK0 at 125 MHz (u-boot, board/xilinx/zynq), and the values
// after reset.
const std::map<std::uint32_t, std::uint32_t> as_started{
    {0x100, 0x0002'8000},          // ARM_PLL_CTRL: x 40
    {0x104, 0x0002'0000},          // DDR_PLL_CTRL: x 32
    {0x108, 0x0001'E000},          // IO_PLL_CTRL: x 30
    {0x10C, 0x0000'003F},          // PLL_STATUS: locked, stable
    {0x120, 0x1F00'0200},          // ARM_CLK_CTRL: / 2
    {0x12C, 0x01EC'044D},          // APER_CLK_CTRL
    {0x154, 0x0000'1402},          // UART_CLK_CTRL: IO PLL / 20, UART1
    {fpga0_clk_ctrl, 0x0010'0800}, // IO PLL / 8
    {0x1C4, 0x0000'0001},          // CLK_621_TRUE
    {fpga_rst_ctrl, 0x0000'0000},  {a9_cpu_rst_ctrl, 0x0000'0000},
    {0x258, 0x0040'0000},                                       // REBOOT_STATUS
    {0x25C, 0x0000'0000},                                       // BOOT_MODE: JTAG
    {0x530, 0x2372'7093},                                       // PSS_IDCODE: 7z020
    {0x7C0, 0x0000'02E0},                                       // MIO_PIN_48, 49: UART1
    {0x7C4, 0x0000'02E1},          {lvl_shftr_en, 0x0000'000F}, // both ways
    {ocm_cfg, 0x0000'0018},                                     // three blocks low, one high
    {l2c_ram, 0x0001'0101},
};

constexpr std::uint32_t writable[] = {lock,    unlock,        a9_cpu_rst_ctrl, ocm_cfg,
                                      l2c_ram, fpga_rst_ctrl, lvl_shftr_en};

bool is_slcr(std::uint64_t address) { return address - slcr < 0x1000; }

bool is_clock(std::uint32_t offset) { return offset >= first_clock && offset <= last_clock; }

} // namespace

ControlRegisters::ControlRegisters(const Profile &profile, const Faults &faults, Wiring wiring)
    : profile_(profile), faults_(faults), wiring_(std::move(wiring)), values_(as_started) {
    if (faults_.isolated)
        values_[lvl_shftr_en] = 0xA; // from the PS to the PL only
    if (faults_.reset_held)
        values_[fpga_rst_ctrl] = 1;
    if (faults_.clock_stopped)
        values_[fpga0_clk_ctrl] = 0;
}

std::vector<std::uint64_t> ControlRegisters::pages() const { return {slcr, devcfg, efuse}; }

std::uint32_t ControlRegisters::load(const Access &access) {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    if (access.address == efuse + efuse_status)
        return 0;
    if (!is_slcr(access.address)) {
        switch (access.address - devcfg) {
        case int_sts:
            return faults_.bitstream_absent ? 0 : pcfg_done;
        case status:
            return pcfg_init;
        }
        refuse_access(*this, access, "no such register");
    }
    auto offset = static_cast<std::uint32_t>(access.address - slcr);
    if (offset == lock_status)
        return locked_;
    auto at = values_.find(offset);
    if (at != values_.end())
        return at->second;
    if (!wiring_.log || offset >= end_of_slcr)
        refuse_access(*this, access, "no such register");
    return 0;
}

void ControlRegisters::check_store(const Access &access, std::uint32_t value) const {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    auto offset = static_cast<std::uint32_t>(access.address - slcr);
    bool known = std::find(std::begin(writable), std::end(writable), offset) != std::end(writable);
    if (wiring_.log && offset < end_of_slcr && offset != a9_cpu_rst_ctrl)
        return;
    if (!is_slcr(access.address) || !known)
        refuse_access(*this, access, "no such writable register");
    // The model has all of the memory high from the start: it cannot take any of it away again.
    if (offset == ocm_cfg && (value & ocm_high) != ocm_high)
        refuse_access(*this, access, "on-chip memory that is not mapped high is not modelled");
    if ((offset == fpga_rst_ctrl || offset == lvl_shftr_en) && value != values_.at(offset))
        refuse_access(*this, access, "the PL stays as it was started");
    if (offset == a9_cpu_rst_ctrl && value & ~core_1)
        refuse_access(*this, access, "only core 1 can be held");
}

Time ControlRegisters::store(const Access &access, std::uint32_t value, Time arrival) {
    auto offset = static_cast<std::uint32_t>(access.address - slcr);
    if (offset == lock || offset == unlock) {
        if (value == (offset == lock ? lock_key : unlock_key))
            locked_ = offset == lock;
    } else if (!locked_ && offset != pll_status) {
        if (is_clock(offset) && value != std::exchange(values_[offset], value) && !clocks_told_) {
            clocks_told_ = true;
            wiring_.log("clocks stay as they are, though the program stores " + hex(value) +
                        " to SLCR register " + hex(offset));
        }
        auto before = std::exchange(values_[offset], value);
        if (offset == a9_cpu_rst_ctrl && (before & core_1) && !(value & core_1))
            wiring_.release(arrival);
    }
    return arrival;
}

} // namespace twin::zynq7000
