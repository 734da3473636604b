// The few control registers of the PS that firmware needs: clocks, level shifters, memory map.
#pragma once

#include "boards/faults.h"
#include "boards/zynq7000/profile.h"
#include "core/device.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace twin::zynq7000 {

// SLCR (0xF8000000) and DEVCFG (0xF8007000), as ps7_init and ps7_post_config leave them. While the
// SLCR is locked, stores to it do nothing, as on the chip.
//
// For a foreign program every other register of the SLCR keeps what is stored, but the clocks stay
// as they are.
class ControlRegisters : public Device {
  public:
    struct Wiring {
        // Core 1 leaves the reset that the SLCR held it in; it starts at address 0.
        std::function<void(Time time)> release;
        // Of a foreign program alone: takes a line for its log.
        std::function<void(const std::string &)> log;
    };

    ControlRegisters(const Profile &profile, const Faults &faults, Wiring wiring);

    const char *name() const override { return "SLCR, DEVCFG"; }
    std::vector<std::uint64_t> pages() const override;
    Time path() const override { return profile_.peripheral_path; }
    bool takes_wide() const override { return true; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    const Profile &profile_;
    const Faults &faults_;
    const Wiring wiring_;
    bool clocks_told_ = false;
    bool locked_ = true;
    std::map<std::uint32_t, std::uint32_t> values_; // of the SLCR, by offset
};

} // namespace twin::zynq7000
