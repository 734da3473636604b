// A foreign program, on its own board next to the instrument's, whose lines reach it. The program
// neither knows of the instrument nor of its host. Its time passes until it is ready, and then
// while the instrument is armed; else it stands still. So there are two times: that of the program,
// which its cores and devices have, and that of the instrument, later by shift().
#pragma once

#include "core/board.h"
#include "core/functions.h"
#include "core/gateware.h"
#include "core/interruptions.h"
#include "core/masked_map.h"
#include "core/observer.h"
#include "core/options.h"
#include "core/places.h"
#include "core/symbols.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace twin {

// Where the program gives a sign: the instruction at `address` issues, or one issues that stores to
// one of the `size` bytes from there on.
// Or a pin of its chip, `address`, takes the level `size`.
struct Place {
    enum class Kind { instruction, store, pin } kind;
    std::uint64_t address, size;
    unsigned pin;
};

struct SubjectSettings {
    std::string elf, name; // its file, and what that is called
    std::string symbols;   // file of its functions
    std::vector<Place> places;
    std::optional<std::uint64_t> ready; // address; none: when it first sleeps, or after a while
    Time tick = 0;                      // of the instrument
    bool masked = false;                // keep the map of that
    std::string functions;              // file; empty: none
    std::string interruptions;          // the same
};

class Subject : public Observer {
  public:
    explicit Subject(SubjectSettings settings);

    // Takes its place between the two boards, before either is made.
    void join(BoardOptions &instrument, BoardOptions &program);

    // The program's board, and how long a line of the instrument is on its way to its cores.
    void attach(ProgramBoard &board);
    ProgramBoard &board() const { return *board_; }
    Time line_path() const { return line_path_; }

    // The instrument's, whose clock times are told in. It stays where it is.
    void measured_by(const Gateware &gateware) { gateware_ = &gateware; }

    // It is where it waits to be measured, unless the scheduler sees that it sleeps. `lost`: it
    // should have got there by `now`.
    bool ready() const { return ready_; }
    bool waits_for_place() const { return settings_.ready.has_value(); }
    void set_ready();

    // Whether its time passes, and how much later the instrument's clock is.
    bool runs() const { return runs_; }
    Time shift() const { return shift_; }
    bool lost(Time now) const;
    void refuse_zeros(const Core &core, std::uint64_t pc) const;
    [[noreturn]] void stop(const std::string &what) const;

    // Whether the instrument waits for nothing but the program, and now. Ends the process if it has
    // done so for too long where placements start the line.
    void placed(bool waits, Time now);

    void executes(Core &core, std::uint64_t pc, Time at) override;
    void interrupts(Core &core, std::uint64_t pc, Time at) override;
    void traps(Core &core, std::uint64_t to) override;
    void stores(Core &core, std::uint64_t address, unsigned size, Time at) override;

    // When line 0 could not have interrupted core 0 since the program was ready, because of the
    // core or of the interrupt controller; lengths are ticks of the instrument awake, and moments
    // are ticks of its gateware.
    void write_masked(CsvFile &out) const;

    // Its registers, and the last instructions of core 0.
    void write_state(std::ostream &out) const;

    // Writes what is left of a line that it sends, and of files.
    void end();

  private:
    void look_at_mask(const Core &core, bool masked, std::optional<std::uint64_t> pc, Time at);
    void pass(Core &core, const Place &place, Time at);
    bool stands_between_batches() const;
    void armed(bool is, Time time);
    void line(unsigned line, bool level, Time time);
    void drives(unsigned pin, bool level, Time at);
    std::string about_answers() const;
    void say(std::uint8_t byte);
    void flush();
    std::string where_ready() const;

    const SubjectSettings settings_;
    const Symbols symbols_;
    const std::shared_ptr<Places> places_;
    ProgramBoard *board_ = nullptr;
    const Gateware *gateware_ = nullptr;
    Time line_path_ = 0;
    bool ready_ = false;
    bool runs_ = true;
    Time shift_ = 0;
    Time stands_at_ = 0;      // while it does not run: in the program's time
    std::uint64_t rises_ = 0; // of line 0
    Time waits_since_ = never;
    unsigned stimuli_ = 0; // counted until it is known whether it listens
    bool answered_ = false;
    std::string line_; // that it sends

    CallChain calls_; // of core 0, for the map
    MaskedMap masked_;
    Functions functions_;
    Interruptions interruptions_;
    static constexpr std::size_t kept = 20;
    std::array<std::uint64_t, kept> executed_{}; // addresses, of core 0
    std::uint64_t executions_ = 0;
};

} // namespace twin
