// The scheduler, which lets gateware, cores and devices of a board act in the order of twin time.
//
// Rules (conservative look-ahead):
//  1. The gateware runs to the earliest time at which a core's next store could reach its pins. A
//     core runs to the earliest time at which an interrupt not yet known could reach it.
//  2. A load of a value that the gateware drives first brings it to the time of the sample.
//  3. Accesses to devices happen in the order of time, ties by core number. Shared memory is
//     exact to the quantum between cores.
//  4. A byte from the host enters only at a link point: when nothing at all can happen without
//     it, or nothing but that one core polls an empty receiver. Until it comes twin time is
//     still. For a foreign program this is the case while the instrument is not armed.
#pragma once

#include "core/board.h"
#include "core/pty.h"
#include "core/subject.h"

#include <atomic>
#include <ostream>
#include <vector>

namespace twin {

class Scheduler {
  public:
    // `subject`: a program in addition to the board's own, or null.
    Scheduler(Board &board, Pty &pty, const std::atomic<bool> &quit, Subject *subject = nullptr);

    // Until `quit`.
    void run();

    // One JSON object; wall_seconds since the start of run().
    void write_stats(std::ostream &out, double wall_seconds) const;

  private:
    // Of the instrument's board, or of the subject's: its cores and events, whose time the
    // instrument's clock is later than by shift().
    struct Side {
        ProgramBoard *board;
        bool of_subject;
    };

    bool runs(const Side &side) const { return !side.of_subject || subject_->runs(); }
    Time shift(const Side &side) const { return side.of_subject ? subject_->shift() : 0; }
    const Side &side_of(const Core &core) const;
    Time time_of(const Core &core) const { return core.time() + shift(side_of(core)); }
    Time next_of(const Side &side) const { return later(side.board->events().next(), shift(side)); }
    Core *earliest(const Core *other_than = nullptr) const;
    void step();
    Time ready();
    Time known(Time core_time) const;
    const Side &next_events() const;
    bool instrument_waits() const;
    Time path_to(const Core &core) const;
    bool polls_for_ever(const Core &core) const;
    void run_core(Core &core, Time line);
    void link_point();
    Time now() const;
    void dump(std::ostream &out);

    Board &board_;
    Pty &pty_;
    const std::atomic<bool> &quit_;
    Subject *const subject_;
    Gateware &gateware_;
    SerialPort &serial_;
    std::vector<Side> sides_; // that of the board, and that of the subject's
    const LookAhead ahead_;
    Core *running_ = nullptr;
    Time next_flush_ = 0;
    Time wire_free_ = 0; // the host's last byte is over
};

} // namespace twin
