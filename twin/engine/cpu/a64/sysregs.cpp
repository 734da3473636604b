#include "cpu/a64/sysregs.h"

#include "core/stop.h"
#include "cpu/a64/core.h"

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
constexpr SystemRegister pmcr_el0{3, 3, 9, 12, 0};
constexpr SystemRegister pmcntenset_el0{3, 3, 9, 12, 1};
constexpr SystemRegister pmcntenclr_el0{3, 3, 9, 12, 2};
constexpr SystemRegister pmccntr_el0{3, 3, 9, 13, 0};
constexpr SystemRegister pmccfiltr_el0{3, 3, 14, 15, 7};
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

// PMCR_EL0 of an A53: implementer Arm, ID 3, six event counters. Bits: E 0, P 1, C 2.
constexpr std::uint64_t pmcr_identity = 0x41'03'30'00;

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

// ---- GenericTimer --------------------------------------------------------------------------

std::uint64_t GenericTimer::control(Time now) const {
    return std::uint64_t{enabled_} | std::uint64_t{masked_} << 1 |
           std::uint64_t{enabled_ && due(now)} << 2;
}

void GenericTimer::set_control(std::uint64_t value, Time now) {
    enabled_ = value & 1;
    masked_ = value >> 1 & 1;
    update(now);
}

void GenericTimer::set_offset(std::uint64_t value, Time now) {
    offset_ = value;
    update(now);
}

void GenericTimer::set_compare(std::uint64_t value, Time now) {
    compare_ = value;
    update(now);
}

void GenericTimer::set_distance(std::uint64_t value, Time now) {
    auto distance = static_cast<std::int32_t>(value);
    set_compare(count(now) + static_cast<std::uint64_t>(std::int64_t{distance}), now);
}

void GenericTimer::update(Time now) {
    ++generation_;
    bool level = enabled_ && !masked_ && due(now);
    if (level != level_) {
        level_ = level;
        output_(level, now);
    }
    if (!enabled_ || masked_)
        return;
    // The next change: at the compare value, or when the count begins again at 0. A distance of 0
    // is one of 2^64.
    std::uint64_t counts = (level ? 0 : compare_) - count(now);
    std::uint64_t counter = counter_.count(now);
    Time time = counts == 0 || counts > ~counter ? never : counter_.time_of(counter + counts);
    if (time == never)
        return;
    events_.post(time, [this, time, generation = generation_] {
        if (generation == generation_)
            update(time);
    });
}

// ---- SystemRegisters -----------------------------------------------------------------------

SystemRegisters::SystemRegisters(Core &core, EventQueue &events, Count &counter,
                                 const Variants &variants,
                                 std::function<void(Timer, bool, Time)> output)
    : core_(core), counter_(counter), variants_(variants),
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

// The timers' registers differ in op1 and CRm; op2 is 0 for TVAL, 1 for CTL, 2 for CVAL.
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

std::uint64_t SystemRegisters::cycle_counter() const {
    std::uint64_t count = cycle_base_;
    if (cycle_counter_runs())
        count += cycles() - cycle_since_;
    return pmcr_ & 1u << 6 ? count : count & 0xFFFF'FFFF; // LC: 64 bits
}

std::uint64_t SystemRegisters::cycles() const {
    return variants_.cycles_in_wfi ? core_.nominal_cycles() : core_.active_cycles();
}

void SystemRegisters::set_cycle_counter(std::uint64_t value) {
    cycle_base_ = value;
    cycle_since_ = cycles();
}

bool SystemRegisters::read(SystemRegister reg, std::uint64_t &value) {
    Time now = core_.issue_time();
    if (auto *timer = timer_of(reg)) {
        switch (reg.op2()) {
        case 0:
            value = timer->distance(now);
            return true;
        case 1:
            value = timer->control(now);
            return true;
        default:
            value = timer->compare();
            return true;
        }
    }
    if (reg == mpidr_el1)
        value = 0x8000'0000u | core_.number();
    else if (reg == cntfrq_el0)
        value = counter_frequency_;
    else if (reg == cntpct_el0)
        value = counter_.count(now);
    else if (reg == cntvct_el0)
        value = virtual_timer_.count(now);
    else if (reg == pmccntr_el0)
        value = cycle_counter();
    else if (reg == pmcr_el0)
        value = pmcr_identity | pmcr_;
    else if (reg == pmcntenset_el0 || reg == pmcntenclr_el0)
        value = pmcnten_;
    else if (reg == pmccfiltr_el0)
        value = 0;
    else if (is_plain(reg) || is_trapped(reg))
        return false;
    else
        refuse_register(reg, false);
    return true;
}

bool SystemRegisters::write_pmu(SystemRegister reg, std::uint64_t value) {
    if (reg != pmcr_el0 && reg != pmcntenset_el0 && reg != pmcntenclr_el0 && reg != pmccntr_el0 &&
        reg != pmccfiltr_el0)
        return false;
    std::uint64_t count = cycle_counter();
    if (reg == pmcr_el0) {
        pmcr_ = value & 0x59; // E, X, DP, LC are kept; P and C act and read zero
        if (value & 1u << 2)
            count = 0;
    } else if (reg == pmcntenset_el0) {
        pmcnten_ |= value & 0xFFFF'FFFF;
    } else if (reg == pmcntenclr_el0) {
        pmcnten_ &= ~value;
    } else if (reg == pmccntr_el0) {
        count = value;
    } else if (value) {
        refuse_register(reg, true); // filters are not modelled
    }
    if (pmcnten_ & 0x7FFF'FFFF)
        refuse_register(reg, true); // neither are event counters
    set_cycle_counter(count);
    return true;
}

bool SystemRegisters::write(SystemRegister reg, std::uint64_t value) {
    Time now = core_.issue_time();
    if (auto *timer = timer_of(reg)) {
        switch (reg.op2()) {
        case 0:
            timer->set_distance(value, now);
            return true;
        case 1:
            timer->set_control(value, now);
            return true;
        default:
            timer->set_compare(value, now);
            return true;
        }
    }
    if (write_pmu(reg, value))
        return true;
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
                hex(core_.pc()) + ", core " + std::to_string(core_.number()));
}

} // namespace twin::a64
