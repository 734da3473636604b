#include "instrument.h"

#include "core/stop.h"

#include <Virqscope_soft.h>
#include <algorithm>
#include <lead.h>
#include <string>

namespace rtl {

namespace {
constexpr unsigned reset_cycles = 8;
} // namespace

Instrument::Instrument(std::uint32_t source_id, std::uint32_t source_hash, std::uint32_t tick_hz)
    : model_(std::make_unique<Virqscope_soft>()) {
    model_->source_id = source_id;
    model_->source_hash = source_hash;
    model_->tick_hz = tick_hz;
    model_->rst = 1;
    for (unsigned i = 0; i < reset_cycles; ++i)
        edge();
    model_->rst = 0;
    model_->eval();
    if (model_->now != 0)
        twin::stop_engine("instrument: `now` is not 0 after reset");
    look(false);
}

Instrument::~Instrument() { model_->final(); }

void Instrument::edge() {
    model_->clk = 0;
    model_->eval();
    model_->clk = 1;
    model_->eval();
    ++evaluated_;
}

// Takes its outputs after an edge. `inputs`: it had some, so `quiet` says nothing about this cycle.
void Instrument::look(bool inputs) {
    irq_ = model_->irq;
    due_ = tick_;
    if (inputs || !model_->quiet)
        return;
    const std::uint64_t targets[16] = {
        model_->target_0,  model_->target_1,  model_->target_2,  model_->target_3,
        model_->target_4,  model_->target_5,  model_->target_6,  model_->target_7,
        model_->target_8,  model_->target_9,  model_->target_10, model_->target_11,
        model_->target_12, model_->target_13, model_->target_14, model_->target_15};
    std::uint64_t first = never;
    for (std::uint32_t valid = model_->target_valid; valid; valid &= valid - 1)
        first = std::min(first, targets[__builtin_ctz(valid)]);
    due_ = first == never ? never : std::max(tick_, first - std::min(first, gateware::lead));
}

Instrument::Answer Instrument::cycle(std::uint64_t now, const Inputs &inputs) {
    if (now != tick_) {
        model_->skip = 1;
        model_->skip_to = now;
        edge();
        model_->skip = 0;
        model_->skip_to = 0;
        tick_ = now;
        if (model_->now != tick_)
            twin::stop_engine("instrument: cycle " + std::to_string(model_->now) + " where " +
                              std::to_string(tick_) + " was due");
    }
    auto &m = *model_;
    m.pulse_valid = inputs.valid;
    m.pulse_codes = inputs.codes;
    m.wishbone___05Fcyc = m.wishbone___05Fstb = inputs.strobe;
    m.wishbone___05Fwe = inputs.write;
    m.wishbone___05Fsel = 0xF;
    m.wishbone___05Fadr = inputs.word;
    m.wishbone___05Fdat_w = inputs.data;
    m.clk = 0;
    m.eval();
    Answer answer{m.wishbone___05Fack != 0, m.wishbone___05Fdat_r};
    m.clk = 1;
    m.eval();
    ++evaluated_;
    ++tick_;
    look(inputs.any());
    return answer;
}

} // namespace rtl
