// The six event counters of one core's performance monitor, of a Cortex-A53 and of a Cortex-A9.
//
// All of their registers behave as in the manuals. Of the events those are counted that the engine
// knows without a model: cycles, instructions, increments by software. A counter that has run with
// another one has no value.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

namespace twin {

class EventCounters {
  public:
    static constexpr unsigned counters = 6;
    static constexpr std::uint32_t every_counter = (1u << counters) - 1;

    // How often an event has happened since time 0, or nothing if that is not modelled.
    using Source = std::function<std::optional<std::uint64_t>(unsigned event)>;

    explicit EventCounters(Source source) : source_(std::move(source)) {}

    // The counters of `mask` run.
    void run(std::uint32_t mask);

    std::uint32_t type(unsigned counter) const { return at(counter).type; }
    void set_type(unsigned counter, std::uint32_t type);

    // Nothing if its event is not modelled.
    std::optional<std::uint32_t> value(unsigned counter) const;
    void set_value(unsigned counter, std::uint32_t value);

    // PMSWINC, and PMCR.P.
    void increment(std::uint32_t mask);
    void clear();

  private:
    struct Counter {
        std::uint32_t type = 0;
        std::uint32_t base = 0;  // its count before `since`
        std::uint64_t since = 0; // of its event
        bool runs = false;
        bool unknown = false; // it has run with an event that is not modelled
    };

    Counter &at(unsigned counter) { return all_[counter % counters]; }
    const Counter &at(unsigned counter) const { return all_[counter % counters]; }
    void settle(Counter &counter) const;

    const Source source_;
    std::array<Counter, counters> all_{};
};

} // namespace twin
