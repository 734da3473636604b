// A program that is not ours, on a core of its own, with what surrounds it, in the clock of the
// instrument, whose lines reach it. The program neither knows of the instrument nor of its host.
#pragma once

#include "board.h"
#include "core/functions.h"
#include "core/interruptions.h"
#include "core/masked_map.h"
#include "encounters.h"
#include "instrument.h"
#include "sleep.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

class Vcore;

namespace rtl {

// Where a marker is made: in a stage of the core, by the instruction at `address`, or on its bus,
// by a store that meets the `size` bytes from there on. The values are the markers' sources.
enum class Stage : unsigned { execute = 1, decode = 2, store = 3 };

struct Place {
    Stage stage;
    std::uint32_t address, size;
    unsigned code;
};

struct SubjectSettings {
    BoardSettings board;
    unsigned first_cause = 16; // that line 0 raises; line 1 raises the next one
    unsigned first_source = 0; // the same of the PLIC; 0: lines go to the core
    bool rv32imc = false;      // other instructions are illegal
    std::uint32_t clic = 0;    // address of the core's own, if it has one; a multiple of 64 KB
    std::vector<Place> places;
    std::optional<std::uint32_t> ready; // address; none: when it sleeps, or after a while
    bool masked = false;                // keep the map of that
    std::string functions;              // file; empty: none
    std::string interruptions;          // the same
    std::string encounters;             // the same
};

class Subject {
  public:
    // `symbols`: file of the program's functions, as twin::Symbols has it.
    Subject(const SubjectSettings &settings, const Program &program, const std::string &symbols);
    ~Subject();

    // Runs from reset until the program is ready; returns the cycle after that. Ends the process if
    // it does not get there.
    std::uint64_t start();

    // Lives through cycle `now` with these levels of the instrument's lines. Its markers join
    // `inputs`.
    void cycle(std::uint64_t now, std::uint32_t lines, Instrument::Inputs &inputs);

    // Whether cycle `now` would change nothing of it; then it may be left out.
    bool sleeps(std::uint64_t now, std::uint32_t lines) const {
        bool latches = settings_.first_source && lines != lines_; // in the PLIC
        return sleep_.settled(irq(now, lines)) && !latches;
    }

    // First cycle in which its timer wakes it, unless a line does before.
    std::uint64_t due(std::uint64_t now) const;

    std::uint64_t evaluated() const { return evaluated_; }

    // When line 0 was masked since the program was ready; lengths are cycles awake, and a cycle is
    // the tick of the instrument with its number.
    void write_masked(twin::CsvFile &out) const;

    // Writes what is left of its files.
    void end() {
        functions_.flush();
        encounters_.flush();
    }

    // Ends the process, and says where the program is.
    [[noreturn]] void stop(const std::string &what);

    // Its registers, and the last instructions.
    void write_state(std::ostream &out);

  private:
    struct Answer {
        std::uint64_t at; // cycle
        std::uint32_t data;
    };

    std::uint32_t irq(std::uint64_t now, std::uint32_t lines) const;
    bool masks_line(unsigned line) const;
    unsigned line_of(unsigned cause) const;
    std::string interrupt_of_lines() const;
    std::uint32_t fetch(std::uint32_t address);
    void access(std::uint64_t now, Instrument::Inputs &inputs);
    void watch(std::uint64_t now, Instrument::Inputs &inputs);
    void mark(std::uint64_t now, Instrument::Inputs &inputs, const Place &place);
    void count(std::uint64_t now, std::uint32_t lines);
    std::uint32_t code_at(std::uint32_t pc);
    void look_at_decode(std::uint32_t pc);
    std::string hint() const;
    void look_at_mask(std::uint64_t now);
    void look_at_interrupt(std::uint64_t now);
    void look_at_lines(std::uint64_t now, std::uint32_t lines);
    const SubjectSettings settings_;
    const Program &program_;
    const twin::Symbols symbols_;
    Board board_;
    std::unique_ptr<Vcore> core_;

    std::uint64_t evaluated_ = 0; // cycles
    std::uint64_t awake_ = 0;     // of these, not asleep
    Sleep sleep_;
    std::uint32_t lines_ = 0;
    std::uint64_t rises_ = 0; // of line 0
    std::deque<Answer> fetches_;
    std::optional<Answer> access_;
    std::uint64_t fetched_at_ = 0;
    std::optional<std::uint32_t> boots_from_; // while it is on its way from there to the program
    bool booting_ = true, started_ = false, ready_ = false;
    unsigned stimuli_ = 0; // counted until it is known whether it listens
    bool answered_ = false;

    struct Illegal {
        std::uint32_t pc, word;
        std::string why;
    };
    std::optional<Illegal> illegal_; // the last instruction that no core here has
    struct {
        std::uint32_t pc, word;
    } decoded_{};                                // the last one
    unsigned illegals_ = 0;                      // since the last mret
    bool has_vector_ = false;                    // mtvec has been accessed
    std::optional<std::uint32_t> vector_wanted_; // just written to mtvec
    std::string vector_refused_;                 // why it is not what was last written there

    twin::CallChain calls_; // for the map
    twin::MaskedMap masked_;
    twin::Functions functions_;
    twin::Interruptions interruptions_;
    Encounters encounters_;

    static constexpr std::size_t kept = 20;
    std::array<std::uint32_t, kept> executed_{}; // addresses
    std::uint64_t executions_ = 0;
};

} // namespace rtl
