#include "pl.h"

#include "stop.h"

#include <Virqscope.h>
#include <algorithm>
#include <string>

namespace twin {

namespace {

// Ticks by which the gateware compares a target ahead: geometry.lead of the register map.
constexpr std::uint64_t lead = 5;

// The twin says of its clock what the ZCU102 says of its own.
constexpr std::uint32_t nominal_tick_hz = 249'975'000;

constexpr unsigned reset_ticks = 8;
constexpr Time history_length = 60'000; // 10 us

} // namespace

Pl::Pl(const Profile &profile, const Faults &faults, Identity identity, bool skipping, Trace &trace,
       const std::atomic<bool> &quit, Interrupt interrupt, StmEvent stm_event)
    : profile_(profile), faults_(faults), skipping_(skipping), trace_(trace), quit_(quit),
      interrupt_(std::move(interrupt)), stm_event_(std::move(stm_event)),
      model_(std::make_unique<Virqscope>()) {
    model_->source_id = identity.source_id;
    model_->source_hash = identity.source_hash;
    model_->tick_hz = nominal_tick_hz;
    model_->rst = 1;
    for (unsigned i = 0; i < reset_ticks; ++i)
        evaluate();
    model_->rst = 0;
    model_->eval();
    evaluated_ = 0;
    if (model_->now != 0)
        stop_engine("gateware: `now` is not 0 after reset");
    trace_.change(0, "source_id", identity.source_id);
    trace_.change(0, "source_hash", identity.source_hash);
    trace_.change(0, "emio_o3", 0);
    trace_.change(0, "emio_o4", 0);
    trace_.change(0, "skip", 0);
    trace_.change(0, "skip_to", 0);
    history_.push_back({0, model_->emio_i3, model_->emio_i4});
    publish();
}

Pl::~Pl() { model_->final(); }

void Pl::set_pins(Time time, std::uint32_t bank3, std::uint32_t bank4) {
    if (faults_.pl_works())
        pins_.push_back({time, bank3, bank4});
}

std::uint64_t Pl::first_target() const {
    const std::uint64_t targets[16] = {
        model_->target_0,  model_->target_1,  model_->target_2,  model_->target_3,
        model_->target_4,  model_->target_5,  model_->target_6,  model_->target_7,
        model_->target_8,  model_->target_9,  model_->target_10, model_->target_11,
        model_->target_12, model_->target_13, model_->target_14, model_->target_15};
    std::uint64_t first = never;
    for (std::uint32_t valid = model_->target_valid; valid; valid &= valid - 1)
        first = std::min(first, targets[__builtin_ctz(valid)]);
    return first;
}

// One clock period.
void Pl::evaluate() {
    model_->clk = 0;
    model_->eval();
    model_->clk = 1;
    model_->eval();
    ++evaluated_;
}

// Passes on what has changed at the last edge; true if an interrupt line has.
bool Pl::publish() {
    const auto &m = *model_;
    if (m.emio_i3 != history_.back().bank3 || m.emio_i4 != history_.back().bank4) {
        Time now = edge_of(tick_);
        history_.push_back({now, m.emio_i3, m.emio_i4});
        while (history_.size() > 1 && history_[1].time + history_length < now)
            history_.pop_front();
    }
    if (trace_.enabled()) {
        trace_.change(tick_, "emio_i3", m.emio_i3);
        trace_.change(tick_, "emio_i4", m.emio_i4);
        trace_.change(tick_, "pl_ps_irq0", m.pl_ps_irq0);
        trace_.change(tick_, "pl_ps_irq1", m.pl_ps_irq1);
        trace_.change(tick_, "pl_ps_apugic_irq", m.pl_ps_apugic_irq);
        trace_.change(tick_, "pmod", m.pmod);
        trace_.change(tick_, "stm_event", m.stm_event);
    }
    for (std::uint32_t rest = m.stm_event & ~stm_levels_; rest; rest &= rest - 1)
        stm_event_(static_cast<unsigned>(__builtin_ctz(rest)), edge_of(tick_));
    stm_levels_ = m.stm_event;
    std::uint32_t lines =
        m.pl_ps_irq0 | std::uint32_t{m.pl_ps_irq1} << 8 | std::uint32_t{m.pl_ps_apugic_irq} << 16;
    std::uint32_t changed = lines ^ lines_;
    lines_ = lines;
    for (std::uint32_t rest = changed; rest; rest &= rest - 1) {
        auto line = static_cast<unsigned>(__builtin_ctz(rest));
        interrupt_(line, lines >> line & 1, edge_of(tick_) + profile_.gic_pl_input);
    }
    return changed != 0;
}

bool Pl::run_until(Time bound) {
    if (!faults_.pl_works())
        return false;
    while (!quit_.load(std::memory_order_relaxed)) {
        Time edge = edge_of(tick_ + 1);
        if (edge > bound)
            return false;
        bool pins_change = false;
        while (!pins_.empty() && pins_.front().time < edge) {
            model_->emio_o3 = pins_.front().bank3;
            model_->emio_o4 = pins_.front().bank4;
            trace_.change(tick_, "emio_o3", model_->emio_o3);
            trace_.change(tick_, "emio_o4", model_->emio_o4);
            pins_.pop_front();
            pins_change = true;
        }
        std::uint64_t next = tick_ + 1;
        if (!pins_change && model_->quiet) {
            std::uint64_t target = first_target();
            if (bound == never && target == never && pins_.empty())
                return false;
            if (skipping_) {
                // Land early enough for the comparators, and in the tick of the next pin change.
                std::uint64_t to = target == never ? never : target - std::min(target, lead);
                if (!pins_.empty())
                    to = std::min(to, tick_at(pins_.front().time));
                if (to > next) {
                    if (to == never || edge_of(to) > bound)
                        return false;
                    next = to;
                }
            }
        }
        bool skip = next != tick_ + 1;
        if (skip || model_->skip) {
            model_->skip = skip;
            model_->skip_to = skip ? next : 0;
            trace_.change(tick_, "skip", skip);
            trace_.change(tick_, "skip_to", model_->skip_to);
        }
        evaluate();
        tick_ = next;
        if (model_->now != tick_)
            stop_engine("gateware: tick " + std::to_string(model_->now) + " where " +
                        std::to_string(tick_) + " was due");
        if (publish())
            return true;
    }
    return false;
}

bool Pl::idle() const {
    return !faults_.pl_works() || (pins_.empty() && model_->quiet && !model_->target_valid);
}

Time Pl::next_output() const {
    if (!faults_.pl_works())
        return never;
    Time edge = edge_of(tick_ + 1);
    if (!skipping_ || !model_->quiet)
        return edge;
    std::uint64_t target = first_target();
    Time next = target >= never / faults_.pl_period ? never : std::max(edge, edge_of(target));
    if (!pins_.empty())
        next = std::min(next, std::max(edge, edge_of(tick_at(pins_.front().time) + 1)));
    return next;
}

std::array<std::uint32_t, 2> Pl::inputs_at(Time time) {
    if (!faults_.pl_works())
        return {0, 0};
    while (run_until(time)) {
    }
    for (auto at = history_.rbegin(); at != history_.rend(); ++at)
        if (at->time <= time)
            return {at->bank3, at->bank4};
    return {history_.front().bank3, history_.front().bank4};
}

} // namespace twin
