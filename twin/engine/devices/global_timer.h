// The global timer of a Cortex-A9 MPCore (Arm 100486, chapter 4): one count, with a comparator for
// each core.
#pragma once

#include "core/events.h"
#include "core/units.h"

#include <array>
#include <cstdint>
#include <functional>

namespace twin {

class GlobalTimer {
  public:
    static constexpr unsigned cores = 2;
    static constexpr std::uint32_t bytes = 0x1C; // of its registers

    // `cycle`: of PERIPHCLK. `output` drives the interrupt of a core's comparator, `output_delay`
    // after it is due.
    GlobalTimer(EventQueue &events, Time cycle, Time output_delay,
                std::function<void(unsigned core, bool level, Time time)> output)
        : events_(events), cycle_(cycle), output_delay_(output_delay), output_(std::move(output)) {}
    GlobalTimer(const GlobalTimer &) = delete;
    GlobalTimer &operator=(const GlobalTimer &) = delete;

    std::uint32_t read(unsigned core, std::uint32_t offset, Time now) const;
    void write(unsigned core, std::uint32_t offset, std::uint32_t value, Time now);

    // Whether a value sets bits of a register that are reserved.
    static bool reserved(std::uint32_t offset, std::uint32_t value);

  private:
    struct Comparator {
        std::uint32_t control = 0; // its three bits of each core
        std::uint32_t status = 0, increment = 0;
        std::uint64_t value = 0;
        std::uint64_t generation = 0; // events of older settings do nothing
    };

    Time count_cycle() const;
    std::uint64_t count(Time now) const;
    void compare(unsigned core, Time now);

    EventQueue &events_;
    const Time cycle_, output_delay_;
    const std::function<void(unsigned core, bool level, Time time)> output_;
    std::array<Comparator, cores> comparators_{};
    std::uint32_t control_ = 0; // enable and prescaler
    std::uint64_t from_ = 0;    // the count at `since_`
    Time since_ = 0;
};

} // namespace twin
