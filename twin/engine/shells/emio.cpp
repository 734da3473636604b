#include "shells/emio.h"

#include "core/units.h"

#include <Virqscope.h>
#include <algorithm>
#include <lead.h>

namespace twin {

namespace {

using Bits = EmioShell::Bits;

constexpr Bits bit(unsigned n) { return Bits{1} << n; }
constexpr Bits eight(unsigned first) { return Bits{0xFF} << first; }

// Bits of `clocks`, the first of them also of `states`: lines, what places one of them, channels,
// and so on.
constexpr unsigned first_channel = 9, first_histogram = 29;
constexpr Bits all_lines = eight(0), placement = bit(8), channels = eight(first_channel);
constexpr Bits recorder = bit(17), registers = bit(18), control = bit(19);
constexpr Bits routing = bit(21), glue = bit(22), capture = bit(23), port = bit(24),
               pin_front_end = bit(25);
constexpr Bits sayers = bit(26) - 1; // that tell in `states` whether they are quiet
constexpr Bits line_registers = bit(26), channel_registers = bit(27), other_registers = bit(28);
constexpr Bits histograms = eight(first_histogram);
constexpr Bits parts = bit(37) - 1;

// The bit of a target, which has the number of its line, or of its channel after the lines.
constexpr Bits waits_for(unsigned target) { return bit(target < 8 ? target : target + 1); }

// Bits of `states`, where those of parts say that one is quiet.
constexpr Bits clearing = glue, writing = bit(26), edges = bit(27), markers = bit(28);
constexpr Bits passing = bit(29), to_line = bit(30), to_channel = bit(31), to_other = bit(32);
constexpr Bits places = bit(33);
constexpr unsigned first_done = 34, first_enabled = 42;

// For how long after a command all parts are clocked. The theorem wants configuration unchanged for
// 3 ticks.
constexpr unsigned settling_ticks = 8;

// From a write at the first links to its effect after the last of 8.
constexpr unsigned writing_ticks = 10;

// The parts that a write to the registers of a line, or of a channel, reaches.
constexpr Bits of_lines = all_lines | placement | routing | registers | glue | line_registers;
constexpr Bits of_channels = channels | histograms | registers | glue | channel_registers;

// A clear has reached every part after 17 ticks, and after 8 more each of their registers is as at
// first (docs/formal.md), but for the channels' counts of the bins that are cleared.
constexpr unsigned clear_ticks = 32;

// Bits of emio_o3; the others are the port's.
constexpr std::uint32_t marker_pins = 0xFFFF;

// From a collision of pins to the sign that there is an error, four registers on.
constexpr unsigned collision_ticks = 5;

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
Bits EmioShell::awake() {
    if (!resting_)
        return parts;
    const auto &m = *model_;
    const Bits busy = ~m.states;
    const bool access = busy & (registers | port);
    const bool clears = m.states & clearing && !m.rst;
    cleared_ = clears ? cleared_ + 1 : 0;
    const bool commanded = busy & control && cleared_ <= clear_ticks;
    passed_ = access ? chains() : 0;
    if (m.rst || commanded) {
        unsettled_ = std::max(unsettled_, settling_ticks);
        settling_ = parts;
    } else if (m.states & passing && m.states & writing) {
        settling_ = (unsettled_ ? settling_ : 0) | (m.states & to_line      ? of_lines
                                                    : m.states & to_channel ? of_channels
                                                                            : parts);
        unsettled_ = writing_ticks + settling_ticks;
    }
    Bits awake = busy & (sayers & ~glue);
    if (unsettled_) {
        --unsettled_;
        awake |= settling_;
    }
    awake |= driven_; // `states` do not yet show it
    driven_ = 0;
    if (awake & pin_front_end)
        collided_ = collision_ticks;
    if (collided_) {
        --collided_;
        awake |= registers | glue;
    }
    awake |= passed_;
    if (access) // the way of a histogram's words
        awake |= glue;
    if (m.states & (edges | markers)) // one that does not listen does nothing about them
        awake |= recorder | (m.states >> first_enabled << first_channel & channels);
    if (m.states & markers)
        awake |= (busy >> first_done & all_lines) | (m.states & places ? placement : 0);
    if (busy & placement) // it may let a line go
        awake |= all_lines;
    for (std::uint32_t valid = m.target_valid; valid; valid &= valid - 1) {
        auto n = static_cast<unsigned>(__builtin_ctz(valid));
        if (target(n) - m.now <= gateware::lead) // it is in the comparators
            awake |= waits_for(n);
    }
    if (awake & channels) // their decision is recorded, with the stamp of the tick before
        awake |= recorder;
    awake |= (awake & channels) << (first_histogram - first_channel);
    return clears && !unsettled_ ? (awake & ~all_lines) | histograms : awake;
}

// The chains of registers that an access passes, which begins all of them in the same tick: its
// address is in one at most.
Bits EmioShell::chains() const {
    const Bits states = model_->states;
    if (!(states & passing))
        return passed_;
    return (states & to_line ? line_registers : 0) | (states & to_channel ? channel_registers : 0) |
           (states & to_other ? other_registers : 0);
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
    if ((model_->emio_o3 ^ pins[0]) & marker_pins)
        driven_ |= capture;
    if ((model_->emio_o3 ^ pins[0]) & ~marker_pins || model_->emio_o4 != pins[1])
        driven_ |= port;
    model_->emio_o3 = pins[0];
    model_->emio_o4 = pins[1];
}

void EmioShell::set_inputs(std::uint32_t levels) {
    model_->pmod_in = static_cast<std::uint8_t>(levels);
    driven_ |= pin_front_end;
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
