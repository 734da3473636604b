// The same gateware as Verilator compiles it from ip/irqscope.v, unchanged: one clock, all of it
// evaluated in each tick. For the comparison of speeds only.
#include "boards/zynqmp/bench.h"

#include <Virqscope.h>
#include <iostream>
#include <memory>

namespace {

struct OneClock {
    Virqscope model;

    OneClock() {
        model.rst = 1;
        for (unsigned i = 0; i < 8; ++i)
            step();
        model.rst = 0;
        model.eval();
    }
    void set(twin::zynqmp::Inputs::Signal signal, std::uint64_t value) {
        using Signal = twin::zynqmp::Inputs::Signal;
        switch (signal) {
        case Signal::emio_o3:
            model.emio_o3 = static_cast<std::uint32_t>(value);
            break;
        case Signal::emio_o4:
            model.emio_o4 = static_cast<std::uint32_t>(value);
            break;
        case Signal::pmod_in:
            model.pmod_in = static_cast<std::uint8_t>(value);
            break;
        case Signal::skip:
            model.skip = value != 0;
            break;
        case Signal::skip_to:
            model.skip_to = value;
            break;
        }
    }
    std::uint64_t step() {
        model.clk = 0;
        model.eval();
        model.clk = 1;
        model.eval();
        return model.now;
    }
    twin::zynqmp::Outputs outputs() const {
        return {model.emio_i3,          model.emio_i4, model.pl_ps_irq0, model.pl_ps_irq1,
                model.pl_ps_apugic_irq, model.pmod,    model.stm_event};
    }
};

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: bench-verilator INPUTS\n";
        return 2;
    }
    auto model = std::make_unique<OneClock>();
    twin::zynqmp::replay(*model, twin::zynqmp::Inputs::read(argv[1]), std::cout);
}
