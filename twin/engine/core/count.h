// A count that runs on with twin time: what timers compare with.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <functional>

namespace twin {

class Count {
  public:
    virtual ~Count() = default;

    virtual std::uint64_t count(Time time) const = 0;

    // When it reaches `value`; never while stopped.
    virtual Time time_of(std::uint64_t value) const = 0;

    // Called whenever it is started or stopped.
    virtual void observe(std::function<void(Time)> observer) = 0;
};

} // namespace twin
