#include "cpu/a32/coprocessor.h"

#include "core/stop.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace twin::a32 {

namespace {

// Cortex-A9 r3p0 in a cluster; 32 KB, 4 ways of 256 sets of 32 bytes, in each L1 (Arm 100511).
constexpr std::uint32_t midr_value = 0x413F'C090, mpidr_value = 0x8000'0000;
constexpr std::uint32_t ccsidr_data = 0x701F'E019, ccsidr_instructions = 0x201F'E019;

// The performance monitor has six event counters.
constexpr CoprocessorRegister pmcr{0, 9, 12, 0}, pmcntenset{0, 9, 12, 1}, pmcntenclr{0, 9, 12, 2};
constexpr CoprocessorRegister pmovsr{0, 9, 12, 3}, pmswinc{0, 9, 12, 4}, pmselr{0, 9, 12, 5};
constexpr CoprocessorRegister pmccntr{0, 9, 13, 0}, pmxevtyper{0, 9, 13, 1};
constexpr CoprocessorRegister pmxevcntr{0, 9, 13, 2}, pmuserenr{0, 9, 14, 0};
constexpr CoprocessorRegister pmintenset{0, 9, 14, 1}, pmintenclr{0, 9, 14, 2};
constexpr std::uint32_t pmcr_identity = 0x4109'3000;
constexpr unsigned cycle_counter_number = 31;                      // in PMSELR
constexpr unsigned event_instructions = 0x68, event_cycles = 0x11; // of the A9
constexpr CoprocessorRegister virtualization_control{0, 1, 1, 3};
constexpr CoprocessorRegister virtual_interrupt{0, 12, 1, 1}, neon_busy{0, 15, 1, 0};

// Four entries of the main TLB that can be locked: which is read, which is written, what it holds
// (Cortex-A9 TRM, TLB lockdown operations).
constexpr CoprocessorRegister locked_read{5, 15, 4, 2}, locked_write{5, 15, 4, 4};
constexpr CoprocessorRegister locked_address{5, 15, 5, 2}, locked_physical{5, 15, 6, 2};
constexpr CoprocessorRegister locked_attributes{5, 15, 7, 2};
constexpr std::uint32_t locked_valid = 1; // in locked_physical

struct Named {
    const char *name;
    CoprocessorRegister reg;
};

// Kept by Unicorn: what these do to translation, banks and vectors it does itself, or this engine
// reads it from there.
constexpr Named plain[] = {
    {"CTR", {0, 0, 0, 1}},       {"TCMTR", {0, 0, 0, 2}},       {"TLBTR", {0, 0, 0, 3}},
    {"ID_PFR0", {0, 0, 1, 0}},   {"ID_PFR1", {0, 0, 1, 1}},     {"ID_DFR0", {0, 0, 1, 2}},
    {"ID_AFR0", {0, 0, 1, 3}},   {"ID_MMFR0", {0, 0, 1, 4}},    {"ID_MMFR1", {0, 0, 1, 5}},
    {"ID_MMFR2", {0, 0, 1, 6}},  {"ID_MMFR3", {0, 0, 1, 7}},    {"ID_ISAR0", {0, 0, 2, 0}},
    {"ID_ISAR1", {0, 0, 2, 1}},  {"ID_ISAR2", {0, 0, 2, 2}},    {"ID_ISAR3", {0, 0, 2, 3}},
    {"ID_ISAR4", {0, 0, 2, 4}},  {"CLIDR", {1, 0, 0, 1}},       {"AIDR", {1, 0, 0, 7}},
    {"SCTLR", {0, 1, 0, 0}},     {"CPACR", {0, 1, 0, 2}},       {"SCR", {0, 1, 1, 0}},
    {"SDER", {0, 1, 1, 1}},      {"NSACR", {0, 1, 1, 2}},       {"TTBR0", {0, 2, 0, 0}},
    {"TTBR1", {0, 2, 0, 1}},     {"TTBCR", {0, 2, 0, 2}},       {"DACR", {0, 3, 0, 0}},
    {"DFSR", {0, 5, 0, 0}},      {"IFSR", {0, 5, 0, 1}},        {"ADFSR", {0, 5, 1, 0}},
    {"AIFSR", {0, 5, 1, 1}},     {"DFAR", {0, 6, 0, 0}},        {"IFAR", {0, 6, 0, 2}},
    {"PAR", {0, 7, 4, 0}},       {"PRRR", {0, 10, 2, 0}},       {"NMRR", {0, 10, 2, 1}},
    {"VBAR", {0, 12, 0, 0}},     {"MVBAR", {0, 12, 0, 1}},      {"ISR", {0, 12, 1, 0}},
    {"FCSEIDR", {0, 13, 0, 0}},  {"CONTEXTIDR", {0, 13, 0, 1}}, {"TPIDRURW", {0, 13, 0, 2}},
    {"TPIDRURO", {0, 13, 0, 3}}, {"TPIDRPRW", {0, 13, 0, 4}},
};

// Kept here.
constexpr Named kept[] = {
    {"MIDR", midr},
    {"MPIDR", mpidr},
    {"CSSELR", csselr},
    {"CCSIDR", ccsidr},
    {"ACTLR", actlr},
    {"VCR", virtualization_control},
    {"VIR", virtual_interrupt},
    {"NEON busy", neon_busy},
    {"PMCR", pmcr},
    {"PMCNTENSET", pmcntenset},
    {"PMCNTENCLR", pmcntenclr},
    {"PMOVSR", pmovsr},
    {"PMSWINC", pmswinc},
    {"PMSELR", pmselr},
    {"PMCCNTR", pmccntr},
    {"PMXEVTYPER", pmxevtyper},
    {"PMXEVCNTR", pmxevcntr},
    {"PMUSERENR", pmuserenr},
    {"PMINTENSET", pmintenset},
    {"PMINTENCLR", pmintenclr},
    {"TLB lockdown", tlb_lockdown},
    {"main TLB read select", locked_read},
    {"main TLB write select", locked_write},
    {"main TLB VA", locked_address},
    {"main TLB PA", locked_physical},
    {"main TLB attribute", locked_attributes},
    {"power control", power_control},
    {"diagnostic", diagnostic},
    {"CBAR", cbar},
};

// Maintenance of caches, predictors and TLBs, barriers, translation: Unicorn has nothing to clean.
bool is_maintenance(CoprocessorRegister reg) {
    if (reg.opc1 != 0)
        return false;
    constexpr unsigned of_caches[] = {1, 5, 6, 8, 10, 11, 13, 14}, of_tlbs[] = {3, 5, 6, 7};
    auto among = [&](const auto &list) {
        return std::find(std::begin(list), std::end(list), reg.crm) != std::end(list);
    };
    return (reg.crn == 7 && among(of_caches)) || (reg.crn == 8 && among(of_tlbs));
}

bool is_plain(CoprocessorRegister reg) {
    return std::ranges::find(plain, reg, &Named::reg) != std::end(plain);
}

std::string name_of(CoprocessorRegister reg) {
    auto part = [](unsigned value) { return std::to_string(value); };
    std::string numbers = "c" + part(reg.crn) + ", " + part(reg.opc1) + ", c" + part(reg.crm) +
                          ", " + part(reg.opc2) + " of coprocessor 15";
    for (const auto &named : kept)
        if (named.reg == reg)
            return std::string(named.name) + " (" + numbers + ")";
    for (const auto &named : plain)
        if (named.reg == reg)
            return std::string(named.name) + " (" + numbers + ")";
    return numbers;
}

} // namespace

Coprocessor::Coprocessor(const UnicornCore &core, std::uint32_t base)
    : core_(core), base_(base), events_([this](unsigned event) -> std::optional<std::uint64_t> {
          if (event == 0)
              return 0; // incremented by software alone
          if (event == event_instructions)
              return core_.instructions();
          if (event == event_cycles)
              return core_.active_cycles();
          return {};
      }) {}

// Stops in WFI, as most of the core's clocks do.
std::uint32_t Coprocessor::cycle_counter() const {
    std::uint64_t passed = counts() ? core_.active_cycles() - cycle_since_ : 0;
    return cycle_base_ + static_cast<std::uint32_t>(pmcr_ & 8 ? passed / 64 : passed);
}

bool Coprocessor::read_monitor(CoprocessorRegister reg, std::uint32_t &value) const {
    if (reg == pmccntr) {
        value = cycle_counter();
    } else if (reg == pmcr) {
        value = pmcr_identity | pmcr_;
    } else if (reg == pmcntenset || reg == pmcntenclr) {
        value = pmcnten_;
    } else if (reg == pmuserenr) {
        value = pmuserenr_;
    } else if (reg == pmselr) {
        value = pmselr_;
    } else if (reg == pmintenset || reg == pmintenclr) {
        value = pminten_;
    } else if (reg == pmxevtyper) {
        value = pmselr_ == cycle_counter_number ? 0 : events_.type(pmselr_);
    } else if (reg == pmxevcntr) {
        auto counted = events_.value(pmselr_);
        if (!counted)
            refuse_register(reg, "has counted an event that is not modelled");
        value = *counted;
    } else if (reg == pmovsr || reg == pmswinc) {
        value = 0; // no overflow
    } else {
        return false;
    }
    return true;
}

bool Coprocessor::write_monitor(CoprocessorRegister reg, std::uint32_t value) {
    constexpr std::uint32_t every = 1u << 31 | EventCounters::every_counter;
    std::uint32_t count = cycle_counter();
    if (reg == pmccntr) {
        count = value;
    } else if (reg == pmcr) {
        pmcr_ = value & 0x39; // E, D, X, DP are kept; P and C act and read zero
        if (value & 4)
            count = 0;
        if (value & 2)
            events_.clear();
    } else if (reg == pmcntenset) {
        pmcnten_ |= value & every;
    } else if (reg == pmcntenclr) {
        pmcnten_ &= ~value;
    } else if (reg == pmuserenr) {
        pmuserenr_ = value & 1;
    } else if (reg == pmselr) {
        pmselr_ = value & 0x1F;
    } else if (reg == pmintenset) {
        pminten_ |= value & every;
    } else if (reg == pmintenclr) {
        pminten_ &= ~value;
    } else if (reg == pmswinc) {
        events_.increment(value);
    } else if (reg == pmxevtyper) {
        if (pmselr_ != cycle_counter_number)
            events_.set_type(pmselr_, value & 0xFF);
    } else if (reg == pmxevcntr) {
        events_.set_value(pmselr_, value);
    } else if (reg != pmovsr) {
        return false;
    }
    cycle_base_ = count;
    cycle_since_ = core_.active_cycles();
    events_.run(pmcr_ & 1 ? pmcnten_ & EventCounters::every_counter : 0);
    return true;
}

bool Coprocessor::read(CoprocessorRegister reg, std::uint32_t &value) {
    if (read_monitor(reg, value))
        return true;
    if (reg == midr)
        value = midr_value;
    else if (reg == mpidr)
        value = mpidr_value | core_.number();
    else if (reg == csselr)
        value = csselr_;
    else if (reg == ccsidr && csselr_ <= 1)
        value = csselr_ ? ccsidr_instructions : ccsidr_data;
    else if (reg == actlr)
        value = actlr_;
    else if (reg == tlb_lockdown)
        value = lockdown_;
    else if (reg == locked_address)
        value = locked_addresses_[locked_read_];
    else if (reg == locked_physical)
        value = locked_physicals_[locked_read_];
    else if (reg == locked_attributes)
        value = locked_attributes_[locked_read_];
    else if (reg == power_control)
        value = power_;
    else if (reg == diagnostic)
        value = diagnostic_;
    else if (reg == cbar)
        value = base_;
    else if (reg == virtualization_control || reg == virtual_interrupt || reg == neon_busy)
        value = 0;
    else if (is_plain(reg))
        return false;
    else
        refuse_register(reg, "is not modelled");
    return true;
}

bool Coprocessor::write(CoprocessorRegister reg, std::uint32_t value) {
    if (write_monitor(reg, value))
        return true;
    if (reg == csselr)
        csselr_ = value & 0xF;
    else if (reg == actlr)
        actlr_ = value & 0x3CF;
    else if (reg == tlb_lockdown)
        lockdown_ = value & 0x3000'0001;
    else if (reg == locked_read)
        locked_read_ = value & 3;
    else if (reg == locked_write)
        locked_write_ = value & 3;
    else if (reg == locked_address)
        locked_addresses_[locked_write_] = value;
    else if (reg == locked_physical) {
        if (value & locked_valid)
            refuse_register(reg, "locks an entry of the main TLB, which is not modelled");
        locked_physicals_[locked_write_] = value;
    } else if (reg == locked_attributes)
        locked_attributes_[locked_write_] = value;
    else if (reg == power_control)
        power_ = value & 0x701;
    else if (reg == diagnostic)
        diagnostic_ = value;
    else if (reg == virtualization_control || reg == virtual_interrupt) {
        if (value)
            refuse_register(reg, "makes an interrupt virtual, which is not modelled");
    } else if (is_plain(reg) || is_maintenance(reg))
        return false;
    else
        refuse_register(reg, "is not modelled");
    return true;
}

void Coprocessor::refuse_register(CoprocessorRegister reg, const char *why) const {
    stop_engine("register " + name_of(reg) + " " + why + ", PC " + core_.where(core_.pc()) +
                ", core " + std::to_string(core_.number()));
}

} // namespace twin::a32
