#include "boards/zynqmp/control.h"

namespace twin::zynqmp {

namespace {

constexpr std::uint64_t uart0_ref_ctrl = 0xFF5E'0074, uart1_ref_ctrl = 0xFF5E'0078;
constexpr std::uint64_t pl0_ref_ctrl = 0xFF5E'00C0;
constexpr std::uint64_t boot_mode = 0xFF5E'0200;
constexpr std::uint64_t csu_idcode = 0xFFCA'0040, csu_version = 0xFFCA'0044;
constexpr std::uint64_t pmu_control = 0xFFD8'0000;
constexpr std::uint64_t pmu_storage = 0xFFD8'0030; // GLOBAL_GEN_STORAGE0 to 6
constexpr std::uint64_t pcap_status = 0xFFCA'3010;
constexpr std::uint64_t pwr_state = 0xFFD8'0100;
constexpr std::uint64_t req_pwrup_status = 0xFFD8'0110;
constexpr std::uint64_t req_pwrup_int_en = 0xFFD8'0118;
constexpr std::uint64_t req_pwrup_trig = 0xFFD8'0120;
constexpr std::uint64_t acpu_ctrl = 0xFD1A'0060;
constexpr std::uint64_t dbg_trace_ctrl = 0xFD1A'0064;
constexpr std::uint64_t dbg_fpd_ctrl = 0xFD1A'0068;
constexpr std::uint64_t dbg_tstmp_ctrl = 0xFD1A'00F8;
constexpr std::uint64_t rst_fpd_apu = 0xFD1A'0104;
constexpr std::uint64_t apu_config0 = 0xFD5C'0020;
constexpr std::uint64_t apu_rvbar = 0xFD5C'0040; // low and high word for each core
constexpr std::uint64_t apu_pwrctl = 0xFD5C'0090;

// psu_init of the ZCU102 preset with pl_clk0 at 250 MHz: IOPLL / 15, IOPLL / 6.
constexpr std::uint32_t uart_ref_value = 0x0101'0F00;
constexpr std::uint32_t pl0_ref_value = 0x0101'0600;
constexpr std::uint32_t pl0_active = 1u << 24;

// IOPLL_TO_FPD / 2; it has no gate. The gates of the other two.
constexpr std::uint32_t dbg_tstmp_value = 0x0000'0200;
constexpr std::uint32_t debug_active = 1u << 24;

// PL_INIT and PL_DONE; L2 and full-power domain, cores, PL.
constexpr std::uint32_t pcap_value = 0xC, pcap_done = 1u << 3;
constexpr std::uint32_t pwr_value = 0x0040'0080, pwr_cores = 0xF, pwr_pl = 1u << 23;
constexpr std::uint32_t parked_cores = 0xE;
// The PMU's answer to a request for power: its own time is not known, and nothing depends on it.
constexpr Time power_up_time = 60'000; // 10 us

// XCZU9EG of production silicon, started by JTAG.
constexpr std::uint32_t idcode_value = 0x2473'8093, version_value = 3, boot_mode_value = 0;

// ACPU_CTRL.DIVISOR0.
constexpr std::uint32_t cpu_divisor_mask = 0x3F00;
constexpr unsigned cpu_divisor(std::uint32_t value) { return (value & cpu_divisor_mask) >> 8; }

// Reset bits of a core in RST_FPD_APU: ACPUn_RESET, ACPUn_PWRON_RESET.
std::uint32_t reset_bits(unsigned core) { return 1u << core | 1u << (10 + core); }
constexpr std::uint32_t l2_reset = 1u << 8;

bool is_storage(std::uint64_t address) {
    return address >= pmu_storage && address < pmu_storage + 7 * 4;
}

bool is_rvbar(std::uint64_t address) { return address >= apu_rvbar && address < apu_rvbar + 32; }

} // namespace

ControlRegisters::ControlRegisters(EventQueue &events, const Profile &profile, const Faults &faults,
                                   const Variants &variants, Release release, Clock clock)
    : events_(events), profile_(profile), faults_(faults), variants_(variants),
      release_(std::move(release)), clock_(std::move(clock)),
      power_(variants.parked ? parked_cores : 0), islands_(pwr_cores & ~power_) {}

std::uint32_t ControlRegisters::power_state() const {
    std::uint32_t pl = faults_.isolated ? 0 : pwr_pl;
    if (variants_.pl_power != Variants::pl_power_isolation)
        pl = variants_.pl_power == Variants::pl_power_one ? pwr_pl : 0;
    return pwr_value | islands_ | pl;
}

void ControlRegisters::power_up(std::uint32_t islands, Time time) {
    power_requests_ |= islands;
    Time done = time + power_up_time;
    events_.post(done, [this, islands] {
        power_requests_ &= ~islands;
        islands_ |= islands;
    });
}

std::vector<std::uint64_t> ControlRegisters::pages() const {
    return {0xFF5E'0000, 0xFD1A'0000, 0xFD5C'0000, 0xFFCA'0000, 0xFFCA'3000, 0xFFD8'0000};
}

bool ControlRegisters::debug_runs() const {
    return (debug_clock_ & trace_clock_ & debug_active) && !faults_.debug_clock_off;
}

std::uint32_t ControlRegisters::load(const Access &access) {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    switch (access.address) {
    case uart0_ref_ctrl:
    case uart1_ref_ctrl:
        return uart_ref_value;
    case pl0_ref_ctrl:
        return pl0_ref_value & ~(faults_.clock_stopped ? pl0_active : 0);
    case boot_mode:
        return boot_mode_value;
    case csu_idcode:
        return idcode_value;
    case csu_version:
        return version_value;
    case pmu_control:
        return 0; // no firmware in the PMU
    case pcap_status:
        return pcap_value & ~(faults_.bitstream_absent ? pcap_done : 0);
    case pwr_state:
        return power_state();
    case req_pwrup_status:
        return power_requests_;
    case acpu_ctrl:
        return cpu_clock_;
    case dbg_fpd_ctrl:
        return debug_clock_ & ~(faults_.debug_clock_off ? debug_active : 0);
    case dbg_trace_ctrl:
        return trace_clock_;
    case dbg_tstmp_ctrl:
        return dbg_tstmp_value;
    case rst_fpd_apu:
        return resets_;
    case apu_config0:
        return config0_;
    case apu_pwrctl:
        return power_;
    }
    if (is_storage(access.address))
        return storage_[(access.address - pmu_storage) / 4];
    if (is_rvbar(access.address)) {
        auto entry = entries_[(access.address - apu_rvbar) / 8];
        return static_cast<std::uint32_t>(access.address & 4 ? entry >> 32 : entry);
    }
    refuse_access(*this, access, "no such register");
}

void ControlRegisters::check_store(const Access &access, std::uint32_t value) const {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    switch (access.address) {
    case pl0_ref_ctrl:
        if (value != pl0_ref_value)
            refuse_access(*this, access, "only pl_clk0 = 250 MHz (0x01010600) is modelled");
        return;
    case acpu_ctrl:
        if ((value ^ cpu_clock_) & ~cpu_divisor_mask)
            refuse_access(*this, access, "only DIVISOR0 of ACPU_CTRL can be changed here");
        if (cpu_divisor(value) == 0)
            refuse_access(*this, access, "DIVISOR0 of ACPU_CTRL must be 1..63");
        return;
    case dbg_fpd_ctrl:
    case dbg_trace_ctrl:
        if ((value ^ (access.address == dbg_fpd_ctrl ? debug_clock_ : trace_clock_)) &
            ~debug_active)
            refuse_access(*this, access, "only CLKACT of a debug clock can be changed here");
        return;
    case rst_fpd_apu:
        if (value & ~resets_ & (reset_bits(0) | reset_bits(1) | reset_bits(2) | reset_bits(3)))
            refuse_access(*this, access, "putting a running core back into reset is not modelled");
        return;
    case req_pwrup_int_en:
    case req_pwrup_trig:
        if (value & ~pwr_cores)
            refuse_access(*this, access, "only the power of the cores can be asked for here");
        return;
    case apu_config0:
    case apu_pwrctl:
        return;
    }
    if (!is_rvbar(access.address) && !is_storage(access.address))
        refuse_access(*this, access, "no such writable register");
}

Time ControlRegisters::store(const Access &access, std::uint32_t value, Time arrival) {
    switch (access.address) {
    case acpu_ctrl:
        cpu_clock_ = value;
        clock_(cpu_divisor(value), arrival);
        break;
    case dbg_fpd_ctrl:
        debug_clock_ = value;
        break;
    case dbg_trace_ctrl:
        trace_clock_ = value;
        break;
    case rst_fpd_apu:
        resets_ = value;
        for (unsigned core = 1; core < 4; ++core) {
            if (resets_ & (reset_bits(core) | l2_reset) || !(islands_ >> core & 1))
                continue;
            if (!(config0_ >> core & 1))
                refuse_access(*this, access, "start of a core in AArch32 is not modelled");
            release_(core, entries_[core], arrival);
        }
        break;
    case req_pwrup_int_en:
        power_enabled_ |= value;
        break;
    case req_pwrup_trig:
        power_up(value & power_enabled_, arrival);
        break;
    case apu_config0:
        config0_ = value;
        break;
    case apu_pwrctl:
        power_ = value;
        break;
    default:
        if (is_storage(access.address))
            storage_[(access.address - pmu_storage) / 4] = value;
        if (is_rvbar(access.address)) {
            auto &entry = entries_[(access.address - apu_rvbar) / 8];
            entry = access.address & 4
                        ? (entry & 0xFFFF'FFFF) | std::uint64_t{value} << 32
                        : (entry & ~std::uint64_t{0xFFFF'FFFF}) | (value & ~std::uint32_t{3});
        }
    }
    return arrival;
}

} // namespace twin::zynqmp
