// The page of a Cortex-A9 MPCore that its cores share: SCU, global timer, a private timer for each
// core, and the CPU interfaces of the interrupt controller (Arm 100486, chapters 2 to 4).
//
// Watchdogs are not modelled, nor what the SCU does to coherence: memory is one here.
#pragma once

#include "core/device.h"
#include "core/events.h"
#include "devices/gic.h"

#include <array>
#include <cstdint>

namespace twin {

struct MpcorePlace {
    std::uint64_t base;
    Time cycle; // of PERIPHCLK
};

class Mpcore : public Device {
  public:
    static constexpr unsigned cores = 2;
    // Where the CPU interfaces are, from the page's base.
    static constexpr std::uint64_t interface_offset = 0x100;

    // `input_delay`: from a timer to the interrupt controller.
    Mpcore(EventQueue &events, const MpcorePlace &place, Gic &gic, Time input_delay);

    const char *name() const override { return "SCU, timers, GIC"; }
    std::vector<std::uint64_t> pages() const override { return {place_.base}; }
    Time path() const override { return gic_.path(); }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    // Counts down with PERIPHCLK / (prescaler + 1).
    struct PrivateTimer {
        std::uint32_t load = 0, control = 0, status = 0;
        std::uint32_t from = 0; // the count at `since`
        Time since = 0;
        std::uint64_t generation = 0; // events of older settings do nothing
    };
    struct Comparator {
        std::uint32_t control = 0, status = 0,
                      increment = 0; // control: its three bits of each core
        std::uint64_t value = 0;
        std::uint64_t generation = 0;
    };

    Time private_cycle(const PrivateTimer &timer) const;
    std::uint32_t private_count(const PrivateTimer &timer, Time now) const;
    void restart(unsigned core, std::uint32_t from, Time now);
    void expire(unsigned core, Time now);
    void drive_private(unsigned core, Time now);
    std::uint32_t load_private(const Access &access, std::uint32_t offset);
    void store_private(unsigned core, std::uint32_t offset, std::uint32_t value, Time now);

    Time global_cycle() const;
    std::uint64_t global_count(Time now) const;
    void compare(unsigned core, Time now);
    std::uint32_t load_global(const Access &access, std::uint32_t offset);
    void store_global(unsigned core, std::uint32_t offset, std::uint32_t value, Time now);

    EventQueue &events_;
    const MpcorePlace place_;
    Gic &gic_;
    const Time input_delay_;
    std::array<std::uint32_t, 0x60 / 4> scu_{};
    std::array<PrivateTimer, cores> private_{};
    std::array<Comparator, cores> comparators_{};
    std::uint32_t global_control_ = 0; // enable and prescaler
    std::uint64_t global_from_ = 0;
    Time global_since_ = 0;
};

} // namespace twin
