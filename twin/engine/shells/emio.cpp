#include "shells/emio.h"

#include "core/units.h"

#include <Virqscope.h>
#include <algorithm>

namespace twin {

EmioShell::EmioShell(Identity identity) : model_(std::make_unique<Virqscope>()) {
    model_->source_id = identity.source_id;
    model_->source_hash = identity.source_hash;
    model_->tick_hz = identity.tick_hz;
}

EmioShell::~EmioShell() { model_->final(); }

void EmioShell::step() {
    model_->clk = 0;
    model_->eval();
    model_->clk = 1;
    model_->eval();
}

void EmioShell::reset(bool asserted) {
    model_->rst = asserted;
    if (!asserted)
        model_->eval();
}

void EmioShell::set_pins(Pins pins) {
    model_->emio_o3 = pins[0];
    model_->emio_o4 = pins[1];
}

Pins EmioShell::pins() const { return {model_->emio_i3, model_->emio_i4}; }

std::uint32_t EmioShell::lines() const {
    const auto &m = *model_;
    return m.pl_ps_irq0 | std::uint32_t{m.pl_ps_irq1} << 8 |
           std::uint32_t{m.pl_ps_apugic_irq} << 16;
}

std::uint32_t EmioShell::events() const { return model_->stm_event; }

std::uint64_t EmioShell::now() const { return model_->now; }

bool EmioShell::quiet() const { return model_->quiet; }

std::uint64_t EmioShell::first_target() const {
    const auto &m = *model_;
    const std::uint64_t targets[16] = {m.target_0,  m.target_1,  m.target_2,  m.target_3,
                                       m.target_4,  m.target_5,  m.target_6,  m.target_7,
                                       m.target_8,  m.target_9,  m.target_10, m.target_11,
                                       m.target_12, m.target_13, m.target_14, m.target_15};
    std::uint64_t first = never;
    for (std::uint32_t valid = m.target_valid; valid; valid &= valid - 1)
        first = std::min(first, targets[__builtin_ctz(valid)]);
    return first;
}

void EmioShell::set_skip(bool skip, std::uint64_t to) {
    model_->skip = skip;
    model_->skip_to = to;
}

void EmioShell::trace_identity(Trace &trace) const {
    trace.change(0, "source_id", model_->source_id);
    trace.change(0, "source_hash", model_->source_hash);
}

void EmioShell::trace_pins(Trace &trace, std::uint64_t tick) const {
    trace.change(tick, "emio_o3", model_->emio_o3);
    trace.change(tick, "emio_o4", model_->emio_o4);
}

void EmioShell::trace_outputs(Trace &trace, std::uint64_t tick) const {
    const auto &m = *model_;
    trace.change(tick, "emio_i3", m.emio_i3);
    trace.change(tick, "emio_i4", m.emio_i4);
    trace.change(tick, "pl_ps_irq0", m.pl_ps_irq0);
    trace.change(tick, "pl_ps_irq1", m.pl_ps_irq1);
    trace.change(tick, "pl_ps_apugic_irq", m.pl_ps_apugic_irq);
    trace.change(tick, "pmod", m.pmod);
    trace.change(tick, "stm_event", m.stm_event);
}

} // namespace twin
