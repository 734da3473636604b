#include "cpu/a64/cycle_counter.h"

#include <algorithm>
#include <iterator>

namespace twin::a64 {

namespace {

constexpr SystemRegister pmcr_el0{3, 3, 9, 12, 0};
constexpr SystemRegister pmcntenset_el0{3, 3, 9, 12, 1};
constexpr SystemRegister pmcntenclr_el0{3, 3, 9, 12, 2};
constexpr SystemRegister pmccntr_el0{3, 3, 9, 13, 0};
constexpr SystemRegister pmccfiltr_el0{3, 3, 14, 15, 7};
constexpr SystemRegister its_registers[] = {pmcr_el0, pmcntenset_el0, pmcntenclr_el0, pmccntr_el0,
                                            pmccfiltr_el0};

// PMCR_EL0 of an A53: implementer Arm, ID 3, six event counters. Bits: E 0, P 1, C 2, LC 6.
constexpr std::uint64_t pmcr_identity = 0x41'03'30'00;

} // namespace

bool CycleCounter::has(SystemRegister reg) {
    return std::find(std::begin(its_registers), std::end(its_registers), reg) !=
           std::end(its_registers);
}

std::uint64_t CycleCounter::cycles() const {
    return in_wfi_ ? core_.nominal_cycles() : core_.active_cycles();
}

std::uint64_t CycleCounter::count() const {
    std::uint64_t count = base_;
    if (runs())
        count += cycles() - since_;
    return control_ & 1u << 6 ? count : count & 0xFFFF'FFFF;
}

std::uint64_t CycleCounter::read(SystemRegister reg) const {
    if (reg == pmccntr_el0)
        return count();
    if (reg == pmcr_el0)
        return pmcr_identity | control_;
    if (reg == pmccfiltr_el0)
        return 0;
    return enabled_;
}

bool CycleCounter::write(SystemRegister reg, std::uint64_t value) {
    std::uint64_t counted = count();
    if (reg == pmcr_el0) {
        control_ = value & 0x59; // E, D, X, LC are kept, D without effect; P and C read zero
        if (value & 1u << 2)
            counted = 0;
    } else if (reg == pmcntenset_el0) {
        enabled_ |= value & 0xFFFF'FFFF;
    } else if (reg == pmcntenclr_el0) {
        enabled_ &= ~value;
    } else if (reg == pmccntr_el0) {
        counted = value;
    } else if (value) {
        return false;
    }
    if (enabled_ & 0x7FFF'FFFF)
        return false;
    base_ = counted;
    since_ = cycles();
    return true;
}

} // namespace twin::a64
