#include "boards/zynqmp/bench.h"

#include <Virqscope.h>
#include <memory>

namespace twin::zynqmp {

namespace {

struct Verilated {
    Virqscope model;

    Verilated() {
        model.rst = 1;
        for (unsigned i = 0; i < 8; ++i)
            step();
        model.rst = 0;
        model.eval();
    }
    void set(bool bank4, std::uint32_t value) { (bank4 ? model.emio_o4 : model.emio_o3) = value; }
    void step() {
        model.clk = 0;
        model.eval();
        model.clk = 1;
        model.eval();
    }
    Outputs outputs() const {
        return {model.emio_i3,          model.emio_i4, model.pl_ps_irq0, model.pl_ps_irq1,
                model.pl_ps_apugic_irq, model.pmod,    model.stm_event};
    }
};

} // namespace

int bench_rtl(const std::string &stimulus, std::ostream &out) {
    auto model = std::make_unique<Verilated>();
    run_stimulus(*model, Stimulus::read(stimulus), out);
    return 0;
}

} // namespace twin::zynqmp
