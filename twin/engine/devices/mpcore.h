// The page of a Cortex-A9 MPCore that its cores share: SCU, global timer, a private timer and a
// watchdog for each core, and the CPU interfaces of the interrupt controller (Arm 100486, chapters
// 2 to 4).
//
// The SCU's coherence is not modelled: all cores share one memory here.
#pragma once

#include "core/device.h"
#include "core/events.h"
#include "devices/gic.h"
#include "devices/global_timer.h"
#include "devices/private_timer.h"
#include "devices/private_watchdog.h"

#include <array>
#include <cstdint>

namespace twin {

struct MpcorePlace {
    std::uint64_t base;
    Time cycle; // of PERIPHCLK
};

class Mpcore : public Device {
  public:
    // Where the CPU interfaces are, from the page's base.
    static constexpr std::uint64_t interface_offset = 0x100;

    // `input_delay`: from a timer to the interrupt controller.
    Mpcore(EventQueue &events, const MpcorePlace &place, Gic &gic, Time input_delay);

    const char *name() const override { return "SCU, timers, GIC"; }
    std::vector<std::uint64_t> pages() const override { return {place_.base}; }
    Time path() const override { return gic_.path(); }
    bool takes_wide() const override { return true; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

    // The global timer counts from the start on, as set-up code leaves it that waits by it.
    void start_global_timer();

  private:
    const MpcorePlace place_;
    Gic &gic_;
    std::array<std::uint32_t, 0x60 / 4> scu_{};
    GlobalTimer global_;
    std::array<PrivateTimer, GlobalTimer::cores> private_;
    std::array<PrivateWatchdog, GlobalTimer::cores> watchdogs_;
};

} // namespace twin
