// The interrupt controllers of Arm that the model covers, and their differences in the same
// registers.
#pragma once

#include <array>
#include <cstdint>

namespace twin {

struct GicKind {
    const char *name;
    unsigned version; // of the architecture
    unsigned cores, ids;
    unsigned first_ppi;       // those from here to 31 are there
    std::uint32_t edge_ppis;  // bit n: PPI 16 + n is sensed by rising edge
    unsigned legacy_irq;      // PPI of nIRQ, which drives the core while the interface is off
    unsigned legacy_fiq;      // PPI of nFIQ, the same; 0: none
    std::uint32_t active_low; // of the register of PPIs' levels: lines that are
    bool targets_hold;        // an SPI without a target does not become pending
    std::uint32_t icfgr_ppi;  // read-only configuration of the PPIs
    std::uint32_t typer, distributor_id, interface_id;
    std::array<std::uint8_t, 12> identification; // PIDR4 to 7, PIDR0 to 3, CIDR0 to 3

    std::uint8_t every_core() const { return static_cast<std::uint8_t>((1u << cores) - 1); }
    bool exists(unsigned id) const { return id < 16 || (id >= first_ppi && id < ids); }
};

// GIC-400 r0p1 (Arm IHI 0048B, DDI 0471), of four cores: 16 SGIs, 7 PPIs (25..31), 160 SPIs. TYPER:
// 192 IDs, 4 CPUs, security extensions, 31 lockable SPIs. Maintenance (PPI 25) alone is active
// high.
inline constexpr GicKind gic_400{
    .name = "GIC-400",
    .version = 2,
    .cores = 4,
    .ids = 192,
    .first_ppi = 25,
    .edge_ppis = 0,
    .legacy_irq = 31,
    .legacy_fiq = 0,
    .active_low = 0xFC00,
    .targets_hold = false,
    .icfgr_ppi = 0x5554'0000,
    .typer = 31u << 11 | 1u << 10 | 3u << 5 | 5u,
    .distributor_id = 0x0200'143B,
    .interface_id = 0x0202'143B,
    .identification = {0x04, 0, 0, 0, 0x90, 0xB4, 0x2B, 0, 0x0D, 0xF0, 0x05, 0xB1},
};

// The controller within a Cortex-A9 MPCore r3 of two cores (Arm 100486, chapter 3; IHI 0048A), as
// the Zynq-7000 has it: 16 SGIs, 5 PPIs (27..31), 64 SPIs. The PPIs nFIQ (28) and nIRQ (31) are
// levels, active low; the timers' are edges.
inline constexpr GicKind gic_a9{
    .name = "Cortex-A9 MPCore",
    .version = 1,
    .cores = 2,
    .ids = 96,
    .first_ppi = 27,
    .edge_ppis = 1u << 11 | 1u << 13 | 1u << 14,
    .legacy_irq = 31,
    .legacy_fiq = 28,
    .active_low = 1u << 12 | 1u << 15,
    .targets_hold = true,
    .icfgr_ppi = 0x7DC0'0000,
    .typer = 31u << 11 | 1u << 10 | 1u << 5 | 2u,
    .distributor_id = 0x0102'043B,
    .interface_id = 0x3901'243B,
    .identification = {0x04, 0, 0, 0, 0x90, 0xB3, 0x1B, 0, 0x0D, 0xF0, 0x05, 0xB1},
};

} // namespace twin
