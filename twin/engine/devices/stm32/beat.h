// The clock of a chip's core, by which its devices count. It may change, and stand still.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <functional>

namespace twin::stm32 {

struct Beat {
    std::function<std::uint64_t(Time)> cycle_at; // the first one that begins then or later
    std::function<Time(std::uint64_t)> time_of;
    // Schedules `action` for that cycle, replacing the same owner's earlier one.
    std::function<void(const void *owner, std::uint64_t cycle, std::function<void()> action)>
        call_at;
    std::function<void(const void *owner)> forget;
};

} // namespace twin::stm32
