// One generic timer of a core: level high while enabled, unmasked and due, which it is while its
// count is not below the compare value, as 64-bit unsigned numbers.
#pragma once

#include "core/count.h"
#include "core/events.h"
#include "core/units.h"

#include <cstdint>
#include <functional>

namespace twin::a64 {

// Those that each core has.
enum class Timer { secure, physical, virtual_, hypervisor };

class GenericTimer {
  public:
    GenericTimer(EventQueue &events, Count &counter, std::function<void(bool, Time)> output)
        : events_(events), counter_(counter), output_(std::move(output)) {}

    // The system counter less the offset, modulo 2^64.
    std::uint64_t count(Time now) const { return counter_.count(now) - offset_; }
    void set_offset(std::uint64_t value, Time now);

    // Its registers, by the op2 in their names: 0 is TVAL, the signed distance to the compare
    // value, of which 32 bits show; 1 is CTL; 2 is CVAL, the compare value.
    std::uint64_t read(unsigned op2, Time now) const;
    void write(unsigned op2, std::uint64_t value, Time now);

    // Brings the output up to date; also when the counter starts or stops.
    void update(Time now);

  private:
    bool due(Time now) const { return count(now) >= compare_; }

    EventQueue &events_;
    Count &counter_;
    std::function<void(bool, Time)> output_;
    bool enabled_ = false;
    bool masked_ = false;
    bool level_ = false;
    std::uint64_t offset_ = 0;
    std::uint64_t compare_ = 0;
    std::uint64_t generation_ = 0; // events of older settings do nothing
};

} // namespace twin::a64
