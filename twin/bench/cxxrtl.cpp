// The same gateware compiled by CXXRTL, for the comparison of speeds only.
#include "boards/zynqmp/bench.h"

#include "irqscope.cpp" // written by yosys

#include <iostream>
#include <memory>

namespace {

struct Cxxrtl {
    cxxrtl_design::p_irqscope model;

    Cxxrtl() {
        model.p_rst.set<bool>(true);
        for (unsigned i = 0; i < 8; ++i)
            step();
        model.p_rst.set<bool>(false);
    }
    void set(twin::zynqmp::Stimulus::Signal signal, std::uint64_t value) {
        using Signal = twin::zynqmp::Stimulus::Signal;
        switch (signal) {
        case Signal::emio_o3:
            model.p_emio__o3.set<std::uint32_t>(static_cast<std::uint32_t>(value));
            break;
        case Signal::emio_o4:
            model.p_emio__o4.set<std::uint32_t>(static_cast<std::uint32_t>(value));
            break;
        case Signal::pmod_in:
            model.p_pmod__in.set<std::uint8_t>(static_cast<std::uint8_t>(value));
            break;
        case Signal::skip:
            model.p_skip.set<bool>(value);
            break;
        case Signal::skip_to:
            model.p_skip__to.set<std::uint64_t>(value);
            break;
        }
    }
    std::uint64_t step() {
        model.p_clk.set<bool>(true);
        model.step();
        model.p_clk.set<bool>(false);
        model.step(); // outputs are one evaluation behind their registers
        return model.p_now.get<std::uint64_t>();
    }
    twin::zynqmp::Outputs outputs() const {
        return {model.p_emio__i3.get<std::uint32_t>(),
                model.p_emio__i4.get<std::uint32_t>(),
                model.p_pl__ps__irq0.get<std::uint32_t>(),
                model.p_pl__ps__irq1.get<std::uint32_t>(),
                model.p_pl__ps__apugic__irq.get<std::uint32_t>(),
                model.p_pmod.get<std::uint32_t>(),
                model.p_stm__event.get<std::uint32_t>()};
    }
};

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: bench-cxxrtl STIMULUS\n";
        return 2;
    }
    auto model = std::make_unique<Cxxrtl>();
    twin::zynqmp::run_stimulus(*model, twin::zynqmp::Stimulus::read(argv[1]), std::cout);
}
