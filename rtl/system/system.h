// A soft core, its memory and devices, and the instrument, all in one clock.
//
// Every access of memory is answered in the next cycle. While the core sleeps, its clock is gated:
// then nothing of it changes but by an interrupt, and time goes on without it. While nothing is to
// happen at all, time is still until the host sends a byte: so simulated time is a function of
// the bytes alone.
//
// Beside a subject, this core only serves the instrument, as on a board that measures an external
// device: the lines reach the subject, and the markers are the subject's.
#pragma once

#include "core/markers.h"
#include "core/pty.h"
#include "core/trace.h"
#include "encounters.h"
#include "instrument.h"
#include "sleep.h"
#include "subject.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace rtl {

// A marker by the core's own signals: when the instruction at `pc` is in ID, and in EX.
struct Watch {
    std::uint32_t pc;
    unsigned code;
};

struct Settings {
    std::uint32_t source_id = 0, source_hash = 0, tick_hz = 0;
    std::uint32_t memory_bytes = 0;
    std::optional<unsigned> shared_cause; // of all inputs; none: each has its own
    bool skipping = true;
    std::string trace, markers, encounters; // files; empty: none
    std::vector<Watch> watches;
};

class System {
  public:
    // With a subject, it comes back when that is ready.
    System(const Settings &settings, const std::vector<std::uint8_t> &memory, twin::Pty &pty,
           const std::atomic<bool> &quit, std::unique_ptr<Subject> subject = nullptr);
    ~System();

    // Runs until the host or whoever started it wants an end, or so many cycles have gone by.
    void run(std::uint64_t cycles);

    // Runs core and memory alone for so many cycles: what the benchmark compares with.
    void run_bare(std::uint64_t cycles);

    // Writes what is left of its files.
    void end();

    void write_stats(std::ostream &out, double seconds, double cpu_seconds) const;

  private:
    struct Core; // the compiled model
    struct Bus {
        bool valid = false; // in the next cycle
        std::uint32_t data = 0;
    };

    void cycle();
    void look_at_link();
    bool sleeps() const;
    bool pass();
    void run_core(Instrument::Inputs &inputs);
    std::uint32_t lines() const;
    std::uint32_t inputs() const;
    std::uint32_t irq() const;
    bool listens() const;
    void look_at_lines();
    void look_at_start();
    std::uint32_t fetch(std::uint32_t address) const;
    std::uint32_t instruction_at(std::uint32_t pc) const;
    Bus access(Instrument::Inputs &inputs);
    void store(std::uint32_t address, std::uint32_t value, Instrument::Inputs &inputs);
    std::uint32_t load(std::uint32_t offset);
    void watch(Instrument::Inputs &inputs);
    void instrument(const Instrument::Inputs &inputs);

    // Cycles, in a row until now, in which the instrument waited for a place of the program alone:
    // no line was high or to rise, and its core did not listen to the host, as in a batch.
    std::uint64_t unplaced_ = 0;

    const Settings settings_;
    std::vector<std::uint8_t> memory_;
    twin::Pty &pty_;
    const std::atomic<bool> &quit_;
    twin::Trace trace_;
    twin::MarkerLog markers_;
    Encounters encounters_; // of this core's own program
    std::unique_ptr<Core> core_;
    Instrument instrument_;
    std::unique_ptr<Subject> subject_; // none: this core's own program is measured

    std::uint64_t now_ = 0;
    std::uint64_t lived_ = 0;     // cycles that were not passed over
    std::uint64_t evaluated_ = 0; // cycles of the core
    std::uint64_t executed_ = 0;  // instructions whose execution has begun
    Sleep sleep_;

    // Under way at the register port.
    Instrument::Inputs port_;
    Instrument::Answer answer_;

    bool gate_ = true;
    std::uint32_t last_ = 0; // marker
    std::uint32_t raised_ = 0, shared_ = 0;
    std::optional<std::uint32_t> first_fetch_;
    bool begun_ = false; // it has fetched the program's first instruction
    std::uint64_t compare_ = Instrument::never;
    std::uint32_t compare_low_ = UINT32_MAX, time_high_ = 0;
    std::deque<std::uint8_t> received_;
    bool asked_ = false; // the host waited for the core at the last look
    bool heard_ = false; // the core has taken a byte
};

} // namespace rtl
