#include "cpu/a64/system_registers.h"

#include "core/stop.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace twin::a64 {

namespace {

// ---- modelled here ------------------------------------------------------------------------
constexpr SystemRegister mpidr_el1{3, 0, 0, 0, 5};
constexpr SystemRegister cntfrq_el0{3, 3, 14, 0, 0};
constexpr SystemRegister cntpct_el0{3, 3, 14, 0, 1};
constexpr SystemRegister cntvct_el0{3, 3, 14, 0, 2};
constexpr SystemRegister cntvoff_el2{3, 4, 14, 0, 3}; // also kept by Unicorn
constexpr SystemRegister hcr_el2{3, 4, 1, 1, 0};
// A53 TRM DDI 0500, 4.3: CPUACTLR, CPUECTLR, L2CTLR.
constexpr SystemRegister cpuactlr_el1{3, 1, 15, 2, 0};
constexpr SystemRegister cpuectlr_el1{3, 1, 15, 2, 1};
constexpr SystemRegister l2ctlr_el1{3, 1, 11, 0, 2};

// Four cores, L2 cache without data or tag latency options: A53 TRM 4.3.60.
constexpr std::uint64_t l2ctlr_value = 3u << 24;

// The value of an r0p4, from crash dumps of TF-A on other chips (0x00001000090ca000; TF-A sets bit
// 44).
constexpr std::uint64_t cpuactlr_reset = 0x090C'A000;

// ---- left to Unicorn: it stores and honours them as the architecture says ------------------
constexpr SystemRegister plain[] = {
    {3, 0, 0, 0, 0},  // MIDR_EL1
    {3, 0, 0, 0, 6},  // REVIDR_EL1
    {3, 0, 0, 4, 0},  // ID_AA64PFR0_EL1
    {3, 0, 0, 4, 1},  // ID_AA64PFR1_EL1
    {3, 0, 0, 5, 0},  // ID_AA64DFR0_EL1
    {3, 0, 0, 6, 0},  // ID_AA64ISAR0_EL1
    {3, 0, 0, 6, 1},  // ID_AA64ISAR1_EL1
    {3, 0, 0, 7, 0},  // ID_AA64MMFR0_EL1
    {3, 0, 0, 7, 1},  // ID_AA64MMFR1_EL1
    {3, 1, 0, 0, 0},  // CCSIDR_EL1
    {3, 1, 0, 0, 1},  // CLIDR_EL1
    {3, 2, 0, 0, 0},  // CSSELR_EL1
    {3, 3, 0, 0, 1},  // CTR_EL0
    {3, 3, 0, 0, 7},  // DCZID_EL0
    {3, 0, 4, 2, 2},  // CurrentEL
    {3, 0, 4, 2, 0},  // SPSel
    {3, 3, 4, 2, 0},  // NZCV
    {3, 3, 4, 2, 1},  // DAIF
    {3, 3, 4, 4, 0},  // FPCR
    {3, 3, 4, 4, 1},  // FPSR
    {3, 0, 4, 0, 0},  // SPSR_EL1
    {3, 0, 4, 0, 1},  // ELR_EL1
    {3, 0, 4, 1, 0},  // SP_EL0
    {3, 4, 4, 0, 0},  // SPSR_EL2
    {3, 4, 4, 0, 1},  // ELR_EL2
    {3, 4, 4, 1, 0},  // SP_EL1
    {3, 6, 4, 0, 0},  // SPSR_EL3
    {3, 6, 4, 0, 1},  // ELR_EL3
    {3, 6, 4, 1, 0},  // SP_EL2
    {3, 0, 1, 0, 0},  // SCTLR_EL1
    {3, 0, 1, 0, 1},  // ACTLR_EL1
    {3, 0, 1, 0, 2},  // CPACR_EL1
    {3, 0, 2, 0, 0},  // TTBR0_EL1
    {3, 0, 2, 0, 1},  // TTBR1_EL1
    {3, 0, 2, 0, 2},  // TCR_EL1
    {3, 0, 5, 2, 0},  // ESR_EL1
    {3, 0, 6, 0, 0},  // FAR_EL1
    {3, 0, 7, 4, 0},  // PAR_EL1
    {3, 0, 10, 2, 0}, // MAIR_EL1
    {3, 0, 12, 0, 0}, // VBAR_EL1
    {3, 0, 13, 0, 1}, // CONTEXTIDR_EL1
    {3, 0, 13, 0, 4}, // TPIDR_EL1
    {3, 3, 13, 0, 2}, // TPIDR_EL0
    {3, 3, 13, 0, 3}, // TPIDRRO_EL0
    {3, 0, 14, 1, 0}, // CNTKCTL_EL1
    {3, 4, 1, 0, 0},  // SCTLR_EL2
    {3, 4, 1, 0, 1},  // ACTLR_EL2
    {3, 4, 1, 1, 0},  // HCR_EL2, see write()
    {3, 4, 1, 1, 1},  // MDCR_EL2
    {3, 4, 1, 1, 2},  // CPTR_EL2
    {3, 4, 12, 0, 0}, // VBAR_EL2
    {3, 4, 13, 0, 2}, // TPIDR_EL2
    {3, 4, 14, 0, 3}, // CNTVOFF_EL2
    {3, 4, 14, 1, 0}, // CNTHCTL_EL2
    {3, 6, 1, 0, 0},  // SCTLR_EL3
    {3, 6, 1, 0, 1},  // ACTLR_EL3
    {3, 6, 1, 1, 0},  // SCR_EL3
    {3, 6, 1, 1, 2},  // CPTR_EL3
    {3, 6, 1, 3, 1},  // MDCR_EL3
    {3, 6, 2, 0, 0},  // TTBR0_EL3
    {3, 6, 2, 0, 2},  // TCR_EL3
    {3, 6, 5, 1, 0},  // AFSR0_EL3
    {3, 6, 5, 1, 1},  // AFSR1_EL3
    {3, 6, 5, 2, 0},  // ESR_EL3
    {3, 6, 6, 0, 0},  // FAR_EL3
    {3, 6, 10, 2, 0}, // MAIR_EL3
    {3, 6, 10, 3, 0}, // AMAIR_EL3
    {3, 6, 12, 0, 0}, // VBAR_EL3
    {3, 6, 12, 0, 1}, // RVBAR_EL3
    {3, 6, 13, 0, 2}, // TPIDR_EL3
    {3, 3, 9, 12, 3}, // PMOVSCLR_EL0
    {3, 3, 9, 14, 0}, // PMUSERENR_EL0
    {3, 0, 9, 14, 1}, // PMINTENSET_EL1
    {3, 0, 9, 14, 2}, // PMINTENCLR_EL1
};

bool is_plain(SystemRegister reg) {
    return std::find(std::begin(plain), std::end(plain), reg) != std::end(plain);
}

// Unicorn has not got these. Its hook is called, but only the exception may be answered.
bool is_trapped(SystemRegister reg) {
    return reg == cpuactlr_el1 || reg == cpuectlr_el1 || reg == l2ctlr_el1;
}

} // namespace

SystemRegisters::SystemRegisters(const UnicornCore &core, EventQueue &events, Count &counter,
                                 const Variants &variants,
                                 std::function<void(Timer, bool, Time)> output)
    : core_(core), counter_(counter), cycle_counter_(core, variants.cycles_in_wfi),
      secure_timer_(events, counter,
                    [output](bool level, Time time) { output(Timer::secure, level, time); }),
      physical_timer_(events, counter,
                      [output](bool level, Time time) { output(Timer::physical, level, time); }),
      virtual_timer_(events, counter,
                     [output](bool level, Time time) { output(Timer::virtual_, level, time); }),
      hypervisor_timer_(
          events, counter,
          [output](bool level, Time time) { output(Timer::hypervisor, level, time); }),
      cpuactlr_(core.number() ? cpuactlr_reset : variants.cpuactlr_0) {
    counter_.observe([this](Time now) {
        for (auto *timer : {&secure_timer_, &physical_timer_, &virtual_timer_, &hypervisor_timer_})
            timer->update(now);
    });
}

// The timers' registers differ in op1 and CRm, and those of one timer in op2.
GenericTimer *SystemRegisters::timer_of(SystemRegister reg) {
    if (reg.op0() != 3 || reg.crn() != 14 || reg.op2() > 2)
        return nullptr;
    if (reg.crm() == 3)
        return reg.op1() == 3 ? &virtual_timer_ : nullptr;
    if (reg.crm() != 2)
        return nullptr;
    switch (reg.op1()) {
    case 3:
        return &physical_timer_;
    case 4:
        return &hypervisor_timer_;
    case 7:
        return &secure_timer_;
    default:
        return nullptr;
    }
}

bool SystemRegisters::read(SystemRegister reg, std::uint64_t &value) {
    Time now = core_.issue_time();
    if (const auto *timer = timer_of(reg))
        value = timer->read(reg.op2(), now);
    else if (CycleCounter::has(reg))
        value = cycle_counter_.read(reg);
    else if (reg == mpidr_el1)
        value = 0x8000'0000u | core_.number();
    else if (reg == cntfrq_el0)
        value = counter_frequency_;
    else if (reg == cntpct_el0)
        value = counter_.count(now);
    else if (reg == cntvct_el0)
        value = virtual_timer_.count(now);
    else if (is_plain(reg) || is_trapped(reg))
        return false;
    else
        refuse_register(reg, false);
    return true;
}

bool SystemRegisters::write(SystemRegister reg, std::uint64_t value) {
    Time now = core_.issue_time();
    if (auto *timer = timer_of(reg)) {
        timer->write(reg.op2(), value, now);
        return true;
    }
    if (CycleCounter::has(reg)) {
        if (!cycle_counter_.write(reg, value))
            refuse_register(reg, true);
        return true;
    }
    if (reg == cntfrq_el0) {
        counter_frequency_ = value & 0xFFFF'FFFF;
        return true;
    }
    if (reg == cntvoff_el2)
        virtual_timer_.set_offset(value, now);
    // Virtual interrupts pending would hang the emulator.
    if (reg == hcr_el2 && (value & 0x1C0))
        refuse_register(reg, true);
    if (!is_plain(reg) && !is_trapped(reg))
        refuse_register(reg, true);
    return false;
}

void SystemRegisters::read_trapped(SystemRegister reg, std::uint64_t &value) {
    if (reg == cpuectlr_el1)
        value = cpuectlr_;
    else if (reg == cpuactlr_el1)
        value = cpuactlr_;
    else if (reg == l2ctlr_el1)
        value = l2ctlr_value;
    else
        refuse_register(reg, false);
}

void SystemRegisters::write_trapped(SystemRegister reg, std::uint64_t value) {
    if (reg == cpuectlr_el1)
        cpuectlr_ = value;
    else if (reg == cpuactlr_el1)
        cpuactlr_ = value;
    else
        refuse_register(reg, true);
}

void SystemRegisters::refuse_register(SystemRegister reg, bool is_write) const {
    auto part = [](unsigned value) { return std::to_string(value); };
    stop_engine("system register S" + part(reg.op0()) + "_" + part(reg.op1()) + "_C" +
                part(reg.crn()) + "_C" + part(reg.crm()) + "_" + part(reg.op2()) +
                (is_write ? ": this write is not modelled, PC " : " is not modelled, PC ") +
                core_.where(core_.pc()) + ", core " + std::to_string(core_.number()));
}

} // namespace twin::a64
