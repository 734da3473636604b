// Raw speed of the compiled gateware: every tick of a stimulus evaluated, nothing skipped. The
// loop is the same for every simulator that is compared.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace twin::zynqmp {

// Changes of the EMIO outputs by tick.
struct Stimulus {
    struct Change {
        std::uint64_t tick;
        bool bank4;
        std::uint32_t value;
    };
    std::vector<Change> changes;
    std::uint64_t ticks = 0; // how many to evaluate

    // Reads "tick,signal,value" rows (emio_o3, emio_o4, and last "TICKS,end,0"). Refuses others.
    static Stimulus read(const std::string &path);
};

// emio_i3, emio_i4, pl_ps_irq0, pl_ps_irq1, pl_ps_apugic_irq, pmod, stm_event.
using Outputs = std::array<std::uint64_t, 7>;

// 64-bit FNV-1a over every tick in which an output changed, and all outputs then.
class Digest {
  public:
    void add(std::uint64_t tick, const Outputs &outputs) {
        if (outputs == before_)
            return;
        before_ = outputs;
        mix(tick);
        for (auto value : outputs)
            mix(value);
    }
    std::uint64_t value() const { return value_; }

  private:
    void mix(std::uint64_t word) { value_ = (value_ ^ word) * 0x100'0000'01B3; }

    Outputs before_{};
    std::uint64_t value_ = 0xCBF2'9CE4'8422'2325;
};

// Runs a stimulus through a model that has left reset and stands in tick 0, and prints
// {"ticks", "seconds", "digest"}. The model has set(bank4, value), step() and outputs().
template <typename Model>
void run_stimulus(Model &model, const Stimulus &stimulus, std::ostream &out) {
    Digest digest;
    auto next = stimulus.changes.begin();
    auto start = std::chrono::steady_clock::now();
    for (std::uint64_t tick = 0; tick < stimulus.ticks; ++tick) {
        for (; next != stimulus.changes.end() && next->tick == tick; ++next)
            model.set(next->bank4, next->value);
        model.step();
        digest.add(tick + 1, model.outputs());
    }
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    out << "{\"ticks\": " << stimulus.ticks << ", \"seconds\": " << wall.count()
        << ", \"digest\": " << digest.value() << "}" << std::endl;
}

// The model that the twin runs. Returns the exit code.
int bench_rtl(const std::string &stimulus, std::ostream &out);

} // namespace twin::zynqmp
