#include "core/gateware.h"

#include "core/stop.h"

#include <algorithm>
#include <lead.h>
#include <string>

namespace twin {

namespace {

constexpr unsigned reset_ticks = 8;
constexpr Time history_length = 10'000 * per_ns; // 10 us

} // namespace

Gateware::Gateware(std::unique_ptr<Shell> shell, Clock clock, bool skipping, Trace &trace,
                   const std::atomic<bool> &quit, Wiring wiring, std::shared_ptr<PinDevice> device)
    : shell_(std::move(shell)), clock_(clock), skipping_(skipping), trace_(trace), quit_(quit),
      wiring_(std::move(wiring)), device_(std::move(device)) {
    if (device_)
        shell_->set_inputs(device_->levels());
    shell_->reset(true);
    for (unsigned i = 0; i < reset_ticks; ++i)
        shell_->step();
    shell_->reset(false);
    if (shell_->now() != 0)
        stop_engine("gateware: `now` is not 0 after reset");
    shell_->trace_identity(trace_);
    shell_->trace_pins(trace_, 0);
    trace_.change(0, "skip", 0);
    trace_.change(0, "skip_to", 0);
    outputs_.push_back({0, shell_->pins()});
    publish();
}

void Gateware::set_pins(Time time, Pins pins) {
    if (clock_.runs)
        inputs_.push_back({time, pins});
}

// Passes on what has changed at the last edge; true if a line has, or whether it is armed.
bool Gateware::publish() {
    if (Pins pins = shell_->pins(); pins != outputs_.back().pins) {
        Time now = edge_of(tick_);
        outputs_.push_back({now, pins});
        while (outputs_.size() > 1 && outputs_[1].time + history_length < now)
            outputs_.pop_front();
    }
    if (trace_.enabled())
        shell_->trace_outputs(trace_, tick_);
    std::uint32_t events = shell_->events();
    for (std::uint32_t rest = events & ~events_; rest; rest &= rest - 1)
        wiring_.event(static_cast<unsigned>(__builtin_ctz(rest)), edge_of(tick_));
    events_ = events;
    std::uint32_t copies = shell_->copies();
    bool armed = shell_->armed();
    if (device_ && (copies != copies_ || armed != armed_))
        device_->sees(copies, armed, edge_of(tick_));
    copies_ = copies;
    bool told = armed != armed_;
    armed_ = armed;
    std::uint32_t lines = shell_->lines();
    std::uint32_t changed = lines ^ lines_;
    lines_ = lines;
    for (std::uint32_t rest = changed; rest; rest &= rest - 1) {
        auto line = static_cast<unsigned>(__builtin_ctz(rest));
        wiring_.line(line, lines >> line & 1, edge_of(tick_));
    }
    return changed != 0 || told;
}

bool Gateware::run_until(Time bound) {
    if (!clock_.runs)
        return false;
    while (!quit_.load(std::memory_order_relaxed)) {
        Time edge = edge_of(tick_ + 1);
        if (edge > bound)
            return false;
        bool pins_change = false;
        while (!inputs_.empty() && inputs_.front().time < edge) {
            shell_->set_pins(inputs_.front().pins);
            shell_->trace_pins(trace_, tick_);
            inputs_.pop_front();
            pins_change = true;
        }
        while (device_acts() < edge) {
            std::uint32_t before = device_->levels();
            device_->run();
            if (device_->levels() == before)
                continue;
            shell_->set_inputs(device_->levels());
            shell_->trace_pins(trace_, tick_);
            pins_change = true;
        }
        std::uint64_t next = tick_ + 1;
        if (!pins_change && shell_->quiet()) {
            std::uint64_t target = shell_->first_target();
            if (bound == never && target == never && inputs_.empty() && device_acts() == never)
                return false;
            if (skipping_) {
                // Land early enough for the comparators, and in the tick of the next pin change.
                std::uint64_t to =
                    target == never ? never : target - std::min(target, gateware::lead);
                if (!inputs_.empty())
                    to = std::min(to, tick_at(inputs_.front().time));
                if (device_acts() != never)
                    to = std::min(to, tick_at(device_acts()));
                if (to > next) {
                    if (to == never || edge_of(to) > bound)
                        return false;
                    next = to;
                }
            }
        }
        bool skip = next != tick_ + 1;
        if (skip || skips_) {
            skips_ = skip;
            shell_->set_skip(skip, skip ? next : 0);
            trace_.change(tick_, "skip", skip);
            trace_.change(tick_, "skip_to", skip ? next : 0);
        }
        shell_->step();
        ++evaluated_;
        tick_ = next;
        if (shell_->now() != tick_)
            stop_engine("gateware: tick " + std::to_string(shell_->now()) + " where " +
                        std::to_string(tick_) + " was due");
        if (publish())
            return true;
    }
    return false;
}

bool Gateware::idle() const {
    return !clock_.runs || (inputs_.empty() && shell_->quiet() && shell_->first_target() == never &&
                            device_acts() == never);
}

Time Gateware::next_output() const {
    if (!clock_.runs)
        return never;
    Time edge = edge_of(tick_ + 1);
    if (!skipping_ || !shell_->quiet())
        return edge;
    std::uint64_t target = shell_->first_target();
    Time next = target >= never / clock_.period ? never : std::max(edge, edge_of(target));
    if (!inputs_.empty())
        next = std::min(next, std::max(edge, edge_of(tick_at(inputs_.front().time) + 1)));
    if (device_acts() != never)
        next = std::min(next, std::max(edge, edge_of(tick_at(device_acts()) + 1)));
    return next;
}

Pins Gateware::pins_at(Time time) {
    if (!clock_.runs)
        return {0, 0};
    while (run_until(time)) {
    }
    for (auto at = outputs_.rbegin(); at != outputs_.rend(); ++at)
        if (at->time <= time)
            return at->pins;
    return outputs_.front().pins;
}

} // namespace twin
