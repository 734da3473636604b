// The few control registers of the PS that firmware needs: clocks, resets, core start-up.
#pragma once

#include "boards/zynqmp/faults.h"
#include "boards/zynqmp/profile.h"
#include "boards/zynqmp/variants.h"
#include "core/device.h"
#include "core/events.h"

#include <array>
#include <cstdint>
#include <functional>

namespace twin::zynqmp {

// CRL_APB (0xFF5E0000), CRF_APB (0xFD1A0000), APU (0xFD5C0000), CSU (0xFFCA0000) and PMU_GLOBAL
// (0xFFD80000), as psu_init leaves them.
class ControlRegisters : public Device {
  public:
    // `release` starts a core at an address.
    using Release = std::function<void(unsigned core, std::uint64_t entry, Time time)>;

    // `clock` gives all cores a cycle of `divisor` periods of the APLL's 1200 MHz.
    using Clock = std::function<void(unsigned divisor, Time time)>;

    ControlRegisters(EventQueue &events, const Profile &profile, const Faults &faults,
                     const Variants &variants, Release release, Clock clock);

    const char *name() const override { return "CRL_APB, CRF_APB, APU, CSU, PMU_GLOBAL"; }
    std::vector<std::uint64_t> pages() const override;
    Time path() const override { return profile_.peripheral_path; }
    bool takes_wide() const override { return true; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

    // Whether the debug components have their clocks.
    bool debug_runs() const;

    // Whether a core that waits for an interrupt now loses its power.
    bool sleeps_for_good(unsigned core) const { return power_ >> core & 1; }

  private:
    std::uint32_t power_state() const;
    void power_up(std::uint32_t islands, Time time);

    EventQueue &events_;
    const Profile &profile_;
    const Faults &faults_;
    const Variants &variants_;
    Release release_;
    Clock clock_;
    std::uint32_t cpu_clock_ = 0x0300'0100;   // ACPU_CTRL: both gates open, APLL / 1
    std::uint32_t debug_clock_ = 0x0100'0200; // DBG_FPD_CTRL: open, IOPLL_TO_FPD / 2
    std::uint32_t trace_clock_ = 0x0000'2500; // DBG_TRACE_CTRL as after reset: shut
    std::uint32_t resets_ = 0x380E;           // RST_FPD_APU: cores 1..3 held, ACPUn_RESET and PWRON
    std::uint32_t config0_ = 0xF0F;           // AArch64, VINITHI
    std::uint32_t power_ = 0;                 // PWRCTL
    std::uint32_t islands_;                   // of cores 0 to 3 that have power
    std::uint32_t power_enabled_ = 0;         // REQ_PWRUP: not masked
    std::uint32_t power_requests_ = 0;
    std::array<std::uint32_t, 7> storage_{}; // GLOBAL_GEN_STORAGE
    std::array<std::uint64_t, 4> entries_{0xFFFF'0000, 0xFFFF'0000, 0xFFFF'0000, 0xFFFF'0000};
};

} // namespace twin::zynqmp
