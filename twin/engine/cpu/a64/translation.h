// Address translation of an AArch64 core: the registers of one exception level, and the walk of its
// tables (Arm DDI 0487, D5). Stage 2 is not modelled.
#pragma once

#include "core/memory.h"
#include "cpu/a64/registers.h"
#include "cpu/translation.h"

#include <cstdint>

namespace twin::a64 {

// The registers that translation at an exception level goes by; EL0 goes by those of EL1.
struct Regime {
    unsigned level = 3;
    std::uint64_t sctlr = 0, tcr = 0, ttbr0 = 0, ttbr1 = 0, mair = 0;

    bool on() const { return sctlr & 1; }
    bool data_cached() const { return sctlr >> 2 & 1; }
    bool instructions_cached() const { return sctlr >> 12 & 1; }

    // Takes over a register that is one of these. False: it is not one.
    bool write(SystemRegister reg, std::uint64_t value);

    // The registers of an exception level, as the core has them.
    static Regime read(struct ::uc_struct *uc, unsigned level);
};

// Where the walk for an address begins.
struct WalkStart {
    bool mapped = false; // otherwise no table is for the address
    unsigned granule_bits = 12;
    unsigned level = 0;
    std::uint64_t table = 0;
    unsigned width = 0;  // bits of an address that tables translate
    bool cached = false; // the tables' inner and outer cacheability

    // Bits of an address below what the table of a level looks at.
    unsigned shift(unsigned at) const {
        return granule_bits + (granule_bits - 3) * (last_level - at);
    }
    // Where the entry for an address is, in the table of a level that begins at `base`.
    std::uint64_t entry(std::uint64_t base, unsigned at, std::uint64_t address) const;
    // The table that a descriptor points to, or the memory.
    std::uint64_t next(std::uint64_t descriptor) const {
        return descriptor & 0x0000'FFFF'FFFF'FFFF & ~((std::uint64_t{1} << granule_bits) - 1);
    }

    static constexpr unsigned last_level = 3;
};

// Stops the engine for a granule of 16 KB, which a Cortex-A53 has not.
WalkStart walk_start(const Regime &regime, std::uint64_t address);

// `user`: from EL0. Precondition: regime.on().
Translation translate(const Memory &memory, const Regime &regime, std::uint64_t address,
                      Reach reach, bool user);

} // namespace twin::a64
