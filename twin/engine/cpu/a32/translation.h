// Address translation of an ARMv7-A core by short descriptors (Arm DDI 0406C, B3.5).
#pragma once

#include "core/memory.h"
#include "cpu/a32/registers.h"
#include "cpu/translation.h"

#include <cstdint>

namespace twin::a32 {

// The registers that translation goes by.
struct Regime {
    std::uint32_t sctlr = 0, ttbr0 = 0, ttbr1 = 0, ttbcr = 0, dacr = 0;

    bool on() const { return sctlr & 1; }
    bool data_cached() const { return sctlr >> 2 & 1; }
    bool instructions_cached() const { return sctlr >> 12 & 1; }

    // Takes over a register that is one of these. False: it is not one.
    bool write(CoprocessorRegister reg, std::uint32_t value);

    // Of the secure state, as the core has them.
    static Regime read(uc_struct *uc);

    // The register whose table is for an address, and where that table begins.
    std::uint32_t ttbr(std::uint32_t address) const;
    std::uint32_t table(std::uint32_t address) const;
    // The address of its entry there.
    std::uint32_t entry(std::uint32_t address) const;
};

// A page or section as its descriptor says.
struct Descriptor {
    unsigned bits = 0;               // of its size; 0: the address is not mapped
    bool second = false;             // of the second level
    std::uint32_t to = 0;            // where it begins
    unsigned domain = 0, access = 0; // AP[2:0]
    bool never = false;              // XN
    unsigned tex = 0, cb = 0;
};

// One entry of the first or of the second level. `domain`: of the first one. Where the first level
// names a table the result has neither size nor `second`, and `to` is that table.
Descriptor first_level(std::uint32_t entry);
Descriptor second_level(std::uint32_t entry, unsigned domain);
constexpr bool names_table(std::uint32_t first) { return (first & 3) == 1; }

// `user`: from User mode. Precondition: regime.on().
Translation translate(const Memory &memory, const Regime &regime, std::uint32_t address,
                      Reach reach, bool user);

} // namespace twin::a32
