#include "core/trace.h"

#include "core/stop.h"

namespace twin {

void Trace::change(std::uint64_t tick, const char *signal, std::uint64_t value) {
    if (!enabled())
        return;
    auto [at, first] = last_.try_emplace(signal, value);
    if (!first && at->second == value)
        return;
    at->second = value;
    file_.row(tick, signal, hex(value));
}

} // namespace twin
