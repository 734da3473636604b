#include "core/trace.h"

#include "core/stop.h"

namespace twin {

Trace::Trace(const std::string &path) {
    if (path.empty())
        return;
    file_.open(path);
    if (!file_)
        refuse("cannot write the trace to " + path);
    file_ << "tick,signal,value\n";
}

void Trace::change(std::uint64_t tick, const char *signal, std::uint64_t value) {
    if (!file_.is_open())
        return;
    auto [at, first] = last_.try_emplace(signal, value);
    if (!first && at->second == value)
        return;
    at->second = value;
    file_ << tick << ',' << signal << ',' << hex(value) << '\n';
}

} // namespace twin
