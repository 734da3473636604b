// What each rise of a line met: a core asleep, a handler, masked interrupts, running code. And for
// how long interrupts were masked, whether a rise met that or not.
#pragma once

#include "core/csv_file.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rtl {

class Encounters {
  public:
    static constexpr unsigned lines = 8;

    // A cycle of a core.
    struct Look {
        std::uint64_t at;     // by the instrument's clock
        std::uint32_t levels; // of the lines
        std::uint32_t masked; // lines whose interrupt could not be taken now
        bool asleep;          // the core
        bool shows;           // it shows `masked`
        bool shows_taken;     // it shows `taken`
        std::optional<unsigned>
            taken;    // it has just taken this line's interrupt, or another (lines)
        bool traps;   // it executes an instruction that traps
        bool returns; // it executes a return from a trap
    };

    // CSV "tick,line,met,masked": of each rise what it met, one of
    //   asleep, handler, masked, running; awake, of a core that shows no more,
    // and cycles in which the core was awake and masked the line, from the rise until the interrupt
    // was taken; empty if the core does not show it. A row "mask" is the longest masked interval
    // that began since the line's rise before, handlers of the line itself left out: when it began,
    // and its length. An empty path: no record. Refuses a file that cannot be written.
    explicit Encounters(const std::string &path);

    bool wanted() const { return file_.wanted(); }
    bool in_handler() const { return !handlers_.empty(); }

    // Cycles are in the order of time; those left out change nothing.
    void look(const Look &now);

    // Counts no masked interval so far, such as those of a program that starts.
    void forget_masks();

    // Writes what is left.
    void flush();

  private:
    enum class Met { asleep, handler, masked, running, awake };

    struct Line {
        bool waits = false; // for its interrupt, since a rise
        std::uint64_t rose = 0, waited = 0;
        Met met = Met::running;
        bool masked = false, own = false; // the interval now; whether its own handler's
        std::uint64_t began = 0, length = 0;
        std::uint64_t longest_began = 0, longest = 0;
    };

    void follow(const Look &now);
    void mask(Line &line, unsigned number, const Look &now);
    void end_of_mask(Line &line);
    void rise(Line &line, unsigned number, const Look &now);
    void settle(Line &line, unsigned number);
    void write_longest(Line &line, unsigned number);
    bool serves(unsigned number) const;

    twin::CsvFile file_;
    std::array<Line, lines> lines_;
    std::vector<unsigned> handlers_; // in progress, by line; `lines`: of something else
    std::uint32_t levels_ = 0;
    Met before_ = Met::running; // without masks, before this cycle
    bool shows_ = false;
};

} // namespace rtl
