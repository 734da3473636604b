#include "shells/emio.h"

#include "core/units.h"

#include <Virqscope.h>
#include <algorithm>

namespace twin {

namespace {

// Bits of `clocks` and `states`: lines, what places one of them, channels, and so on.
constexpr std::uint32_t all_lines = 0xFF, placement = 1u << 8, channels = 0xFFu << 9;
constexpr std::uint32_t recorder = 1u << 17, registers = 1u << 18;
constexpr std::uint32_t control = 1u << 19, alignment = 1u << 20;
constexpr std::uint32_t glue = 1u << 22, capture = 1u << 23, port = 1u << 24, pin_front = 1u << 25;
constexpr std::uint32_t parts = (1u << 26) - 1;

// Of a target, which has the number of its line, or of its channel behind the lines.
constexpr std::uint32_t waits_for(unsigned target) {
    return 1u << (target < 8 ? target : target + 1);
}

// Of `states` only, where all others say that a part is quiet.
constexpr std::uint32_t clearing = glue, writing = 1u << 26;

// For how long after a command or a write all parts are clocked. The theorem wants configuration
// unchanged for 3 ticks.
constexpr unsigned settling_ticks = 8;

// A clear has reached every part after 17 ticks, and after 7 more each of their registers is as at
// first (docs/formal.md), but for the channels' counts of the bins that are cleared.
constexpr unsigned clear_ticks = 32;

// A target so near is in the comparators: LEAD of the register map.
constexpr std::uint64_t lead = 5;

// From a collision of pins to the sign that there is an error, three registers on.
constexpr unsigned collision_ticks = 4;

} // namespace

EmioShell::EmioShell(Identity identity, bool resting)
    : model_(std::make_unique<Virqscope>()), resting_(resting) {
    model_->source_id = identity.source_id;
    model_->source_hash = identity.source_hash;
    model_->tick_hz = identity.tick_hz;
    model_->eval(); // so that the first change of a clock is an edge
}

EmioShell::~EmioShell() { model_->final(); }

// The parts whose registers this tick may change.
std::uint32_t EmioShell::awake() {
    if (!resting_)
        return parts;
    const auto &m = *model_;
    const std::uint32_t busy = ~m.states;
    const bool access = busy & (registers | port), writes = m.states & writing;
    const bool clears = m.states & clearing && !m.rst;
    cleared_ = clears ? cleared_ + 1 : 0;
    const bool commanded = busy & control && cleared_ <= clear_ticks;
    if (m.rst || commanded || (access && writes))
        unsettled_ = settling_ticks;
    if (unsettled_) {
        --unsettled_;
        driven_ = false;
        return parts;
    }
    std::uint32_t awake = busy & (parts & ~glue);
    if (driven_) // `states` do not yet show it
        awake |= capture | port | pin_front;
    driven_ = false;
    if (awake & pin_front)
        collided_ = collision_ticks;
    if (collided_) {
        --collided_;
        awake |= registers | glue;
    }
    if (access) // the way of a histogram's words
        awake |= glue;
    if (busy & alignment) // an event or a marker for all of them
        awake |= all_lines | placement | channels | recorder;
    if (busy & placement) // it may let a line go
        awake |= all_lines;
    for (std::uint32_t valid = m.target_valid; valid; valid &= valid - 1) {
        auto n = static_cast<unsigned>(__builtin_ctz(valid));
        if (target(n) - m.now <= lead)
            awake |= waits_for(n);
    }
    if (awake & channels) // what they decide is recorded, with the stamp of the tick before
        awake |= recorder;
    if (clears)
        awake |= channels;
    return awake;
}

void EmioShell::step() {
    model_->clocks ^= awake();
    model_->clk ^= 1;
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
    driven_ = true;
}

void EmioShell::set_inputs(std::uint32_t levels) {
    model_->pmod_in = static_cast<std::uint8_t>(levels);
    driven_ = true;
}

bool EmioShell::armed() const { return (model_->emio_i3 >> 20 & 1) != 0; }

Pins EmioShell::pins() const { return {model_->emio_i3, model_->emio_i4}; }

std::uint32_t EmioShell::lines() const {
    const auto &m = *model_;
    return m.pl_ps_irq0 | std::uint32_t{m.pl_ps_irq1} << 8 |
           std::uint32_t{m.pl_ps_apugic_irq} << 16;
}

std::uint32_t EmioShell::events() const { return model_->stm_event; }

std::uint32_t EmioShell::copies() const { return model_->pmod; }

std::uint64_t EmioShell::now() const { return model_->now; }

bool EmioShell::quiet() const { return model_->quiet; }

std::uint64_t EmioShell::target(unsigned index) const {
    const auto &m = *model_;
    const QData *const targets[16] = {&m.target_0,  &m.target_1,  &m.target_2,  &m.target_3,
                                      &m.target_4,  &m.target_5,  &m.target_6,  &m.target_7,
                                      &m.target_8,  &m.target_9,  &m.target_10, &m.target_11,
                                      &m.target_12, &m.target_13, &m.target_14, &m.target_15};
    return *targets[index];
}

std::uint64_t EmioShell::first_target() const {
    std::uint64_t first = never;
    for (std::uint32_t valid = model_->target_valid; valid; valid &= valid - 1)
        first = std::min(first, target(static_cast<unsigned>(__builtin_ctz(valid))));
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
    trace.change(tick, "pmod_in", model_->pmod_in);
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
