#include "boards/zynqmp/bench.h"

#include "core/stop.h"

#include <fstream>
#include <sstream>

namespace twin::zynqmp {

Stimulus Stimulus::read(const std::string &path) {
    std::ifstream file(path);
    if (!file)
        refuse("cannot read " + path);
    Stimulus stimulus;
    std::string line;
    std::getline(file, line); // heading
    while (std::getline(file, line)) {
        std::istringstream row(line);
        std::string tick, signal, value;
        std::getline(row, tick, ',');
        std::getline(row, signal, ',');
        std::getline(row, value, ',');
        if (signal == "end") {
            stimulus.ticks = std::strtoull(tick.c_str(), nullptr, 0);
        } else if (signal == "emio_o3" || signal == "emio_o4") {
            stimulus.changes.push_back(
                {std::strtoull(tick.c_str(), nullptr, 0), signal == "emio_o4",
                 static_cast<std::uint32_t>(std::strtoull(value.c_str(), nullptr, 0))});
        } else {
            refuse(path + " has an unknown signal " + signal);
        }
    }
    if (!stimulus.ticks)
        refuse(path + " has no row TICKS,end,0");
    return stimulus;
}

} // namespace twin::zynqmp
