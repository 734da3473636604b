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

// The performance monitor has six event counters, none of which counts here.
constexpr CoprocessorRegister pmcr{0, 9, 12, 0}, pmcntenset{0, 9, 12, 1}, pmcntenclr{0, 9, 12, 2};
constexpr CoprocessorRegister pmovsr{0, 9, 12, 3}, pmselr{0, 9, 12, 5}, pmccntr{0, 9, 13, 0};
constexpr CoprocessorRegister pmuserenr{0, 9, 14, 0}, pmintenset{0, 9, 14, 1};
constexpr CoprocessorRegister pmintenclr{0, 9, 14, 2};
constexpr std::uint32_t pmcr_identity = 0x4109'3000;

// Kept by Unicorn: what these do to translation, banks and vectors it does itself.
constexpr CoprocessorRegister plain[] = {
    {0, 0, 0, 1},  // CTR
    {0, 0, 0, 2},  // TCMTR
    {0, 0, 0, 3},  // TLBTR
    {0, 0, 1, 0},  // ID_PFR0
    {0, 0, 1, 1},  // ID_PFR1
    {0, 0, 1, 2},  // ID_DFR0
    {0, 0, 1, 4},  // ID_MMFR0
    {0, 0, 1, 5},  // ID_MMFR1
    {0, 0, 1, 6},  // ID_MMFR2
    {0, 0, 1, 7},  // ID_MMFR3
    {0, 0, 2, 0},  // ID_ISAR0
    {1, 0, 0, 1},  // CLIDR
    {0, 1, 0, 0},  // SCTLR
    {0, 1, 0, 2},  // CPACR
    {0, 1, 1, 0},  // SCR
    {0, 1, 1, 1},  // SDER
    {0, 1, 1, 2},  // NSACR
    {0, 2, 0, 0},  // TTBR0
    {0, 2, 0, 1},  // TTBR1
    {0, 2, 0, 2},  // TTBCR
    {0, 3, 0, 0},  // DACR
    {0, 5, 0, 0},  // DFSR
    {0, 5, 0, 1},  // IFSR
    {0, 6, 0, 0},  // DFAR
    {0, 6, 0, 2},  // IFAR
    {0, 7, 4, 0},  // PAR
    {0, 10, 2, 0}, // PRRR
    {0, 10, 2, 1}, // NMRR
    {0, 12, 0, 0}, // VBAR
    {0, 12, 0, 1}, // MVBAR
    {0, 12, 1, 0}, // ISR
    {0, 13, 0, 1}, // CONTEXTIDR
    {0, 13, 0, 2}, // TPIDRURW
    {0, 13, 0, 3}, // TPIDRURO
    {0, 13, 0, 4}, // TPIDRPRW
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
    return std::find(std::begin(plain), std::end(plain), reg) != std::end(plain);
}

} // namespace

// Stops in WFI, as most of the core's clocks do.
std::uint32_t Coprocessor::cycle_counter() const {
    std::uint64_t passed = counts() ? core_.active_cycles() - cycle_since_ : 0;
    return cycle_base_ + static_cast<std::uint32_t>(pmcr_ & 8 ? passed / 64 : passed);
}

bool Coprocessor::read_monitor(CoprocessorRegister reg, std::uint32_t &value) const {
    if (reg == pmccntr)
        value = cycle_counter();
    else if (reg == pmcr)
        value = pmcr_identity | pmcr_;
    else if (reg == pmcntenset || reg == pmcntenclr)
        value = pmcnten_;
    else if (reg == pmuserenr)
        value = pmuserenr_;
    else if (reg == pmovsr || reg == pmselr || reg == pmintenset || reg == pmintenclr)
        value = 0;
    else
        return false;
    return true;
}

bool Coprocessor::write_monitor(CoprocessorRegister reg, std::uint32_t value) {
    std::uint32_t count = cycle_counter();
    if (reg == pmccntr) {
        count = value;
    } else if (reg == pmcr) {
        pmcr_ = value & 0x39; // E, D, X, DP are kept; P and C act and read zero
        if (value & 4)
            count = 0;
    } else if (reg == pmcntenset) {
        pmcnten_ |= value;
    } else if (reg == pmcntenclr) {
        pmcnten_ &= ~value;
    } else if (reg == pmuserenr) {
        pmuserenr_ = value & 1;
    } else if ((reg == pmselr || reg == pmintenset) && value) {
        refuse_register(reg, true); // event counters and overflow are not modelled
    } else if (reg != pmovsr && reg != pmselr && reg != pmintenset && reg != pmintenclr) {
        return false;
    }
    if (pmcnten_ & 0x7FFF'FFFF)
        refuse_register(reg, true); // the same
    cycle_base_ = count;
    cycle_since_ = core_.active_cycles();
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
    else if (reg == power_control)
        value = power_;
    else if (reg == diagnostic)
        value = diagnostic_;
    else if (reg == cbar)
        value = base_;
    else if (is_plain(reg))
        return false;
    else
        refuse_register(reg, false);
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
    else if (reg == power_control)
        power_ = value & 0x701;
    else if (reg == diagnostic)
        diagnostic_ = value;
    else if (is_plain(reg) || is_maintenance(reg))
        return false;
    else
        refuse_register(reg, true);
    return true;
}

void Coprocessor::refuse_register(CoprocessorRegister reg, bool is_write) const {
    auto part = [](unsigned value) { return std::to_string(value); };
    stop_engine("register c" + part(reg.crn) + ", " + part(reg.opc1) + ", c" + part(reg.crm) +
                ", " + part(reg.opc2) + " of coprocessor 15" +
                (is_write ? ": this write is not modelled, PC " : " is not modelled, PC ") +
                core_.where(core_.pc()) + ", core " + std::to_string(core_.number()));
}

} // namespace twin::a32
