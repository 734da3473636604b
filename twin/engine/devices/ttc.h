// A triple timer counter of Cadence, as the PS of both machines has several (UG585, chapter 8;
// UG1085, chapter 14). Its waveforms, its external clocks and its event timer are not modelled.
#pragma once

#include "core/device.h"
#include "core/events.h"

#include <array>
#include <cstdint>
#include <functional>

namespace twin {

struct TtcPlace {
    const char *name;
    std::uint64_t base;
    Time path;      // from a core, one way
    Time cycle;     // of its clock
    unsigned width; // of a counter, bits
};

class Ttc : public Device {
  public:
    static constexpr unsigned counters = 3;

    // Drives the interrupt of a counter, `output_delay` after a change.
    Ttc(EventQueue &events, const TtcPlace &place, Time output_delay,
        std::function<void(unsigned counter, bool level, Time time)> output)
        : events_(events), place_(place), output_delay_(output_delay), output_(std::move(output)) {}
    Ttc(const Ttc &) = delete;
    Ttc &operator=(const Ttc &) = delete;

    const char *name() const override { return place_.name; }
    std::vector<std::uint64_t> pages() const override { return {place_.base}; }
    Time path() const override { return place_.path; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    struct Counter {
        std::uint32_t clock = 0, control = 0x21, interval = 0;
        std::array<std::uint32_t, 3> matches{};
        std::uint32_t status = 0, enabled = 0;
        Time since = 0; // when it had counted `counted` steps of its round
        std::uint64_t counted = 0;
        std::uint64_t generation = 0; // events of older settings do nothing
        bool level = false;
    };

    bool runs(const Counter &counter) const { return !(counter.control & 1); }
    std::uint64_t round(const Counter &counter) const;
    Time step(const Counter &counter) const;
    std::uint64_t steps(const Counter &counter, Time now) const;
    std::uint32_t value(const Counter &counter, Time now) const;
    void settle(Counter &counter, Time now);
    void plan(unsigned index, Time now);
    void drive(unsigned index, Time now);

    EventQueue &events_;
    const TtcPlace place_;
    const Time output_delay_;
    const std::function<void(unsigned counter, bool level, Time time)> output_;
    std::array<Counter, counters> counters_;
};

} // namespace twin
