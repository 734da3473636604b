// Raw speed of the compiled gateware on given inputs, with the skips that they name and no other.
// The loop is the same for every simulator that is compared.
#pragma once

#include "boards/zynqmp/inputs.h"

#include <array>
#include <cstdint>
#include <ctime>
#include <ostream>
#include <string>

namespace twin::zynqmp {

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

// Gives inputs to a model that has left reset and is in tick 0, and prints
// {"ticks", "seconds", "digest"}: ticks evaluated, processor time. The model has set(signal,
// value), step(), which returns the tick that it then is in, and outputs().
template <typename Model> void replay(Model &model, const Inputs &inputs, std::ostream &out) {
    Digest digest;
    std::uint64_t evaluated = 0;
    auto next = inputs.changes.begin();
    const std::clock_t start = std::clock(); // not wall time: others run too
    for (std::uint64_t tick = 0; tick < inputs.end; ++evaluated) {
        for (; next != inputs.changes.end() && next->tick == tick; ++next)
            model.set(next->signal, next->value);
        tick = model.step();
        digest.add(tick, model.outputs());
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    out << "{\"ticks\": " << evaluated << ", \"seconds\": " << seconds
        << ", \"digest\": " << digest.value() << "}" << std::endl;
}

// Replays a file of inputs in the model that the twin runs. `resting`: its parts at rest are not
// clocked. Returns the exit code.
int bench_rtl(const std::string &path, bool resting, std::ostream &out);

} // namespace twin::zynqmp
