// System registers and PSTATE of an AArch64 core as Unicorn has them.
#pragma once

#include <cstdint>

struct uc_struct;

namespace twin::a64 {

// Name of a system register, S<op0>_<op1>_C<crn>_C<crm>_<op2>.
struct SystemRegister {
    std::uint16_t key;

    constexpr SystemRegister(unsigned op0, unsigned op1, unsigned crn, unsigned crm, unsigned op2)
        : key(static_cast<std::uint16_t>(op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2)) {}

    constexpr unsigned op0() const { return key >> 14; }
    constexpr unsigned op1() const { return key >> 11 & 7; }
    constexpr unsigned crn() const { return key >> 7 & 15; }
    constexpr unsigned crm() const { return key >> 3 & 15; }
    constexpr unsigned op2() const { return key & 7; }
    constexpr bool operator==(const SystemRegister &) const = default;
};

inline constexpr SystemRegister scr_el3{3, 6, 1, 1, 0};
inline constexpr SystemRegister hcr_el2{3, 4, 1, 1, 0};
inline constexpr SystemRegister cnthctl_el2{3, 4, 14, 1, 0};
inline constexpr SystemRegister cptr_el3{3, 6, 1, 1, 2};
inline constexpr SystemRegister tpidr_el0{3, 3, 13, 0, 2};

// Those that each exception level from EL1 on has of its own.
constexpr SystemRegister of_level(unsigned level, unsigned crn, unsigned crm, unsigned op2) {
    return {3, level == 1 ? 0u : 2 * level, crn, crm, op2};
}
constexpr SystemRegister spsr_of(unsigned level) { return of_level(level, 4, 0, 0); }
constexpr SystemRegister elr_of(unsigned level) { return of_level(level, 4, 0, 1); }
constexpr SystemRegister esr_of(unsigned level) { return of_level(level, 5, 2, 0); }
constexpr SystemRegister far_of(unsigned level) { return of_level(level, 6, 0, 0); }
constexpr SystemRegister vbar_of(unsigned level) { return of_level(level, 12, 0, 0); }

inline constexpr std::uint64_t scr_ns = 1;

// D, A, I, F set and the level's own SP, but for the level: the state after each exception. EL3h,
// also after reset.
inline constexpr std::uint64_t pstate_masked = 0x3C1;
inline constexpr std::uint64_t pstate_el3h_masked = pstate_masked | 3u << 2;

std::uint64_t read_system_register(uc_struct *uc, SystemRegister reg);
void write_system_register(uc_struct *uc, SystemRegister reg, std::uint64_t value);

std::uint64_t read_pstate(uc_struct *uc);

// Also switches the banked SP and makes the translator notice, which a plain write of
// Unicorn's PSTATE does not.
void write_pstate(uc_struct *uc, std::uint64_t value);

unsigned current_el(uc_struct *uc);

} // namespace twin::a64
