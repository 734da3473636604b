#include "core/scheduler.h"

#include "core/stop.h"

#include <algorithm>

namespace twin {

namespace {

// So many empty polls of the serial port in a row are taken for waiting.
constexpr unsigned dut_polls = 100;

// A core that nothing else limits looks up this often, so that the process can be ended; and this
// often the reader of the pseudo-terminal gets what has been sent.
constexpr Time look_up = 1'000'000 * per_ns; // 1 ms

} // namespace

Scheduler::Scheduler(Board &board, Pty &pty, const std::atomic<bool> &quit)
    : board_(board), pty_(pty), quit_(quit), events_(board.events()), gateware_(board.gateware()),
      serial_(board.serial()), cores_(board.cores()), ahead_(board.look_ahead()) {
    events_.observe([this](Time time) {
        if (running_)
            running_->lower_horizon(time);
    });
    set_post_mortem([this](std::ostream &out) { dump(out); });
}

// The running core with the least time; ties by number.
Core *Scheduler::earliest(const Core *other_than) const {
    Core *found = nullptr;
    for (Core *core : cores_)
        if (core != other_than && core->state() == Core::State::running &&
            (!found || core->time() < found->time()))
            found = core;
    return found;
}

void Scheduler::run() {
    while (!quit_.load(std::memory_order_relaxed))
        step();
    board_.flush();
}

void Scheduler::step() {
    pty_.at_work();
    Core *core = earliest();
    Time core_time = core ? core->time() : never;
    // What no core and no event can have touched yet.
    Time known = std::min(later(core_time, ahead_.store), later(events_.next(), ahead_.access));
    if (Time now = std::min(core_time, events_.next()); now >= next_flush_ && now != never) {
        pty_.flush();
        next_flush_ = now + look_up;
    }
    if (gateware_.run_until(known))
        return; // an interrupt line changed: there is a new event
    if (events_.next() <= core_time) {
        if (events_.next() == never)
            link_point();
        else
            events_.run_next();
        return;
    }
    if (polls_for_ever(*core))
        link_point();
    else
        run_core(*core);
}

bool Scheduler::polls_for_ever(const Core &core) const {
    return serial_.empty_polls() >= dut_polls && events_.next() == never && gateware_.idle() &&
           !earliest(&core);
}

void Scheduler::run_core(Core &core) {
    Core *second = earliest(&core);
    Time horizon = std::min(
        {events_.next(), later(gateware_.next_output(), ahead_.line), core.time() + look_up});
    if (second)
        horizon = std::min(horizon, second->time() + ahead_.quantum);
    running_ = &core;
    core.run(horizon, second == nullptr);
    running_ = nullptr;
}

Time Scheduler::now() const {
    Time latest = events_.now();
    for (const Core *core : cores_)
        latest = std::max(latest, core->time());
    return latest;
}

void Scheduler::link_point() {
    auto byte = pty_.wait_byte();
    if (!byte)
        return; // the engine ends
    wire_free_ = serial_.receive(*byte, align_up(std::max(now(), wire_free_), ahead_.grid));
}

void Scheduler::write_stats(std::ostream &out, double wall_seconds) const {
    auto ticks = gateware_.tick_at(now());
    out << "{\"simulated_ns\": " << now() / per_ns << ", \"wall_seconds\": " << wall_seconds
        << ", \"ticks_evaluated\": " << gateware_.evaluated()
        << ", \"ticks_skipped\": " << ticks - std::min(ticks, gateware_.evaluated())
        << ", \"uart_sent_bytes\": " << serial_.bytes_sent()
        << ", \"uart_received_bytes\": " << serial_.bytes_received() << ", \"cores\": [";
    for (const Core *core : cores_) {
        out << (core->number() ? ", " : "") << "{\"instructions\": " << core->instructions()
            << ", \"asleep_ns\": " << core->asleep_until(now()) / per_ns
            << ", \"stalled_ns\": " << core->stalled() / per_ns;
        board_.write_stats(out, core->number());
        out << "}";
    }
    out << "]}\n";
}

void Scheduler::dump(std::ostream &out) {
    board_.flush();
    pty_.flush();
    out << "twin time " << now() / per_ns << " ns, tick " << gateware_.tick() << "\n";
    for (const Core *core : cores_)
        core->dump(out);
}

} // namespace twin
