#include "boards/zynqmp/inputs.h"

#include "core/stop.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

namespace twin::zynqmp {

namespace {

constexpr std::pair<const char *, Inputs::Signal> signals[] = {
    {"emio_o3", Inputs::Signal::emio_o3}, {"emio_o4", Inputs::Signal::emio_o4},
    {"pmod_in", Inputs::Signal::pmod_in}, {"skip", Inputs::Signal::skip},
    {"skip_to", Inputs::Signal::skip_to},
};

std::uint64_t number(const std::string &text) { return std::strtoull(text.c_str(), nullptr, 0); }

} // namespace

Inputs Inputs::read(const std::string &path) {
    std::ifstream file(path);
    if (!file)
        refuse("cannot read " + path);
    Inputs inputs;
    std::string line;
    std::getline(file, line); // heading
    while (std::getline(file, line)) {
        std::istringstream row(line);
        std::string tick, name, value;
        std::getline(row, tick, ',');
        std::getline(row, name, ',');
        std::getline(row, value, ',');
        if (name == "end") {
            inputs.end = number(tick);
            continue;
        }
        auto known = std::find_if(std::begin(signals), std::end(signals),
                                  [&](const auto &signal) { return name == signal.first; });
        if (known == std::end(signals))
            refuse(path + " has an unknown signal " + name);
        inputs.changes.push_back({number(tick), known->second, number(value)});
    }
    if (!inputs.end)
        refuse(path + " has no row TICK,end,0");
    return inputs;
}

} // namespace twin::zynqmp
