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
      serial_(board.serial()), sides_{{&board, false}}, ahead_(board.look_ahead()) {
    if (subject_)
        sides_.push_back({&subject_->board(), true});
    for (const Side &side : sides_)
        side.board->events().observe([this, &side](Time time) {
            if (running_)
                running_->lower_horizon(time + shift(side) - shift(side_of(*running_)));
        });
    set_post_mortem([this](std::ostream &out) { dump(out); });
}

const Scheduler::Side &Scheduler::side_of(const Core &core) const {
    return core.number() < board_.cores().size() && &core == board_.cores()[core.number()]
               ? sides_.front()
               : sides_.back();
}

// The running core with the least time; ties by side and number.
Core *Scheduler::earliest(const Core *other_than) const {
    Core *found = nullptr;
    Time least = never;
    for (const Side &side : sides_)
        for (Core *core : side.board->cores())
            if (core != other_than && runs(side) && core->state() == Core::State::running &&
                core->time() + shift(side) < least) {
                found = core;
                least = core->time() + shift(side);
            }
    return found;
}

// The side with the earliest event; the board's of two that are equal.
const Scheduler::Side &Scheduler::next_events() const {
    const Side *found = &sides_.front();
    for (const Side &side : sides_)
        if (runs(side) && next_of(side) < next_of(*found))
            found = &side;
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

// The subject alone, until it waits to be measured; when that is. So its start is not a time of the
// instrument.
Time Scheduler::ready() {
    ProgramBoard &beside = subject_->board();
    EventQueue &events = beside.events();
    beside.start(0);
    while (!subject_->ready() && !quit_.load(std::memory_order_relaxed)) {
        Core *core = earliest();
        bool stalled = std::ranges::any_of(
            beside.cores(), [](const Core *each) { return each->state() == Core::State::stalled; });
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
    Time at = align_up(now(), ahead_.grid);
    subject_->set_ready();
    return at;
}

// State that no core and no event can have touched yet.
Time Scheduler::known(Time core_time) const {
    if (!subject_)
        return std::min(later(core_time, ahead_.store),
                        later(board_.events().next(), ahead_.access));
    Time known = never;
    for (const Side &side : sides_) {
        if (!runs(side))
            continue;
        known = std::min(known, later(next_of(side), side.of_subject ? 0 : ahead_.access));
        for (const Core *core : side.board->cores())
            if (core->state() == Core::State::running)
                known = std::min(
                    known, later(core->time() + shift(side), side.of_subject ? 0 : ahead_.store));
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
    const Side &side = next_events();
    Time next = next_of(side);
    Time core_time = core ? time_of(*core) : never;
    if (Time now = std::min(core_time, next); now >= next_flush_ && now != never) {
        pty_.flush();
        next_flush_ = now + look_up;
    }
    if (gateware_.run_until(known(core_time)))
        return; // an interrupt line changed: there is a new event
    if (next <= core_time) {
        if (next == never && subject_ && gateware_.armed())
            subject_->stop("the program sleeps, and does not pass the place that starts the line");
        else if (next == never)
            link_point();
        else
            side.board->events().run_next();
        return;
    }
    if (polls_for_ever(*core))
        link_point();
    else
        run_core(*core, later(gateware_.next_output(), path_to(*core)));
}

bool Scheduler::polls_for_ever(const Core &core) const {
    return !subject_ && serial_.empty_polls() >= dut_polls && next_of(next_events()) == never &&
           gateware_.idle() && !earliest(&core);
}

// The least time from the gateware's lines to a core.
Time Scheduler::path_to(const Core &core) const {
    bool ours = !subject_ || &core == board_.cores()[core.number()];
    return ours ? ahead_.line : subject_->line_path();
}

// The instrument's board with a subject: it polls for ever, or step() finds that nothing can
// happen.
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
    Time horizon = std::min({next_of(next_events()), line, time_of(core) + look_up});
    if (second)
        horizon = std::min(horizon, time_of(*second) + ahead_.quantum);
    running_ = &core;
    core.run(horizon - shift(side_of(core)), second == nullptr);
    running_ = nullptr;
}

Time Scheduler::now() const {
    Time latest = 0;
    for (const Side &side : sides_) {
        if (!runs(side))
            continue;
        latest = std::max(latest, side.board->events().now() + shift(side));
        for (const Core *core : side.board->cores())
            latest = std::max(latest, core->time() + shift(side));
    }
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
    for (const Core *core : board_.cores())
        core->dump(out);
}

} // namespace twin
