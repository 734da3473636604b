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

Scheduler::Scheduler(Board &board, Pty &pty, const std::atomic<bool> &quit, Subject *subject)
    : board_(board), pty_(pty), quit_(quit), subject_(subject), gateware_(board.gateware()),
      serial_(board.serial()), queues_{&board.events()}, cores_(board.cores()),
      ahead_(board.look_ahead()) {
    if (subject_) {
        ProgramBoard &beside = subject_->board();
        queues_.push_back(&beside.events());
        cores_.insert(cores_.end(), beside.cores().begin(), beside.cores().end());
    }
    for (EventQueue *queue : queues_)
        queue->observe([this](Time time) {
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

// The queue with the earliest event; the board's of two that are equal.
EventQueue &Scheduler::next_events() const {
    EventQueue *found = queues_.front();
    for (EventQueue *queue : queues_)
        if (queue->next() < found->next())
            found = queue;
    return *found;
}

void Scheduler::run() {
    board_.start(subject_ ? ready() : 0);
    while (!quit_.load(std::memory_order_relaxed))
        step();
    board_.flush();
    if (subject_)
        subject_->end();
}

// The subject alone, until it waits to be measured; when that is. So its start is no time of the
// instrument.
Time Scheduler::ready() {
    ProgramBoard &beside = subject_->board();
    EventQueue &events = beside.events();
    beside.start(0);
    while (!subject_->ready() && !quit_.load(std::memory_order_relaxed)) {
        Core *core = earliest();
        bool stalled = std::any_of(cores_.begin(), cores_.end(), [](const Core *each) {
            return each->state() == Core::State::stalled;
        });
        if (!core && !stalled && !subject_->waits_for_place())
            break;
        Time core_time = core ? core->time() : never;
        Time next = std::min(core_time, events.next());
        if (next == never)
            subject_->stop("the program sleeps before it is ready, and nothing wakes it");
        if (subject_->lost(next))
            break;
        if (events.next() <= core_time)
            events.run_next();
        else
            run_core(*core, never);
    }
    subject_->set_ready();
    return align_up(now(), ahead_.grid);
}

// What no core and no event can have touched yet.
Time Scheduler::known(Time core_time) const {
    if (!subject_)
        return std::min(later(core_time, ahead_.store),
                        later(queues_.front()->next(), ahead_.access));
    Time known = std::min(later(board_.events().next(), ahead_.access), queues_.back()->next());
    for (const Core *core : cores_)
        if (core->state() == Core::State::running) {
            bool ours = core == board_.cores()[core->number()];
            known = std::min(known, later(core->time(), ours ? ahead_.store : 0));
        }
    return known;
}

void Scheduler::step() {
    pty_.at_work();
    if (subject_ && instrument_waits())
        return link_point();
    if (subject_) {
        bool waits = gateware_.armed() && gateware_.idle();
        subject_->placed(waits, waits ? now() : 0);
    }
    Core *core = earliest();
    EventQueue &events = next_events();
    Time core_time = core ? core->time() : never;
    if (Time now = std::min(core_time, events.next()); now >= next_flush_ && now != never) {
        pty_.flush();
        next_flush_ = now + look_up;
    }
    if (gateware_.run_until(known(core_time)))
        return; // an interrupt line changed: there is a new event
    if (events.next() <= core_time) {
        if (events.next() == never && subject_ && gateware_.armed())
            subject_->stop("the program sleeps, and does not pass the place that starts the line");
        else if (events.next() == never)
            link_point();
        else
            events.run_next();
        return;
    }
    if (polls_for_ever(*core))
        link_point();
    else
        run_core(*core, later(gateware_.next_output(), path_to(*core)));
}

bool Scheduler::polls_for_ever(const Core &core) const {
    return !subject_ && serial_.empty_polls() >= dut_polls && next_events().next() == never &&
           gateware_.idle() && !earliest(&core);
}

// The least time from the gateware's lines to a core.
Time Scheduler::path_to(const Core &core) const {
    bool ours = !subject_ || &core == board_.cores()[core.number()];
    return ours ? ahead_.line : subject_->line_path();
}

// The board of the instrument, with a subject beside it: as polls_for_ever, or as step() finds that
// nothing can happen.
bool Scheduler::instrument_waits() const {
    if (board_.events().next() != never || !gateware_.idle() || gateware_.armed())
        return false;
    auto running = [](const Core *core) { return core->state() == Core::State::running; };
    auto busy = std::count_if(board_.cores().begin(), board_.cores().end(), running);
    return busy == 0 || (busy == 1 && serial_.empty_polls() >= dut_polls);
}

// No line of the gateware reaches a core before `line`.
void Scheduler::run_core(Core &core, Time line) {
    Core *second = earliest(&core);
    Time horizon = std::min({next_events().next(), line, core.time() + look_up});
    if (second)
        horizon = std::min(horizon, second->time() + ahead_.quantum);
    running_ = &core;
    core.run(horizon, second == nullptr);
    running_ = nullptr;
}

Time Scheduler::now() const {
    Time latest = 0;
    for (const EventQueue *queue : queues_)
        latest = std::max(latest, queue->now());
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
    for (const Core *core : board_.cores()) {
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
    if (subject_) {
        subject_->end();
        return subject_->write_state(out);
    }
    out << "twin time " << now() / per_ns << " ns, tick " << gateware_.tick() << "\n";
    for (const Core *core : cores_)
        core->dump(out);
}

} // namespace twin
