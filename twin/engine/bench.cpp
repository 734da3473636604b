#include "bench.h"

#include "stop.h"

#include <Virqscope.h>
#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

namespace twin {

namespace {

struct Change {
    std::uint64_t tick;
    bool bank4;
    std::uint32_t value;
};

struct Stimulus {
    std::vector<Change> changes;
    std::uint64_t ticks = 0;
};

Stimulus read_stimulus(const std::string &path) {
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
        if (signal == "end")
            stimulus.ticks = std::stoull(tick);
        else if (signal == "emio_o3" || signal == "emio_o4")
            stimulus.changes.push_back(
                {std::stoull(tick), signal == "emio_o4",
                 static_cast<std::uint32_t>(std::stoull(value, nullptr, 0))});
    }
    if (!stimulus.ticks)
        refuse(path + " has no row TICKS,end,0");
    return stimulus;
}

} // namespace

int bench_rtl(const std::string &path, std::ostream &out) {
    Stimulus stimulus = read_stimulus(path);
    auto model = std::make_unique<Virqscope>();
    auto step = [&model] {
        model->clk = 0;
        model->eval();
        model->clk = 1;
        model->eval();
    };
    model->rst = 1;
    for (unsigned i = 0; i < 8; ++i)
        step();
    model->rst = 0;
    model->eval();

    std::uint64_t digest = 0xCBF2'9CE4'8422'2325; // FNV-1a, 64 bits, over 64-bit words
    auto mix = [&digest](std::uint64_t word) { digest = (digest ^ word) * 0x100'0000'01B3; };
    std::array<std::uint64_t, 7> before{};
    auto next = stimulus.changes.begin();
    auto start = std::chrono::steady_clock::now();
    for (std::uint64_t tick = 0; tick < stimulus.ticks; ++tick) {
        for (; next != stimulus.changes.end() && next->tick == tick; ++next)
            (next->bank4 ? model->emio_o4 : model->emio_o3) = next->value;
        step();
        std::array<std::uint64_t, 7> outputs{
            model->emio_i3,          model->emio_i4, model->pl_ps_irq0, model->pl_ps_irq1,
            model->pl_ps_apugic_irq, model->pmod,    model->stm_event};
        if (outputs == before)
            continue;
        before = outputs;
        mix(tick + 1);
        for (auto value : outputs)
            mix(value);
    }
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    model->final();
    out << "{\"ticks\": " << stimulus.ticks << ", \"seconds\": " << wall.count()
        << ", \"digest\": \"" << hex(digest) << "\"}" << std::endl;
    return 0;
}

} // namespace twin
