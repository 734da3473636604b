// When an interrupt could not have been taken: each interval by the instructions that open and
// close it.
#pragma once

#include "core/call_chain.h"
#include "core/csv_file.h"
#include "core/symbols.h"

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace twin {

class MaskedMap {
  public:
    // A moment of a core.
    struct Look {
        bool masked;           // it could not be taken
        bool executes;         // an instruction begins, at `pc`
        std::uint64_t pc;      // of it
        std::uint64_t number;  // instructions that began before
        std::uint64_t last_pc; // of the last of these
        std::uint64_t at;      // when this is, in the unit of the map
        std::uint64_t awake;   // how long the core has been, in the same
        std::uint64_t rises;   // of line 0 until then
        bool counts;           // an interval that begins now is one of the map
    };

    explicit MaskedMap(const Symbols &symbols) : symbols_(symbols) {}

    // Moments are in the order of time. `calls`: of the function that executes.
    void look(const Look &now, const CallChain &calls);

    // Drops the intervals that are over.
    void forget() {
        kinds_.clear();
        further_ = {};
    }

    // CSV "opened,caller,closed,count,least,greatest,start,end", by the instruction that was
    // executed first while masked, where its function returns to, then where that one does ("A <
    // B"), and the last instruction. Lengths are in `per` units of the map, rounded down. Start and
    // end are those of the greatest, in the ticks that `tick_at` has for them: of several the last
    // one in which line 0 rose, without one the first after line 0 first rose, which is when it is
    // measured. Beyond `most_kinds` by their ends, intervals share a last row "and N more".
    static constexpr const char *columns = "opened,caller,closed,count,least,greatest,start,end";
    void write(CsvFile &out, std::uint64_t per,
               const std::function<std::uint64_t(std::uint64_t)> &tick_at) const;

  private:
    struct Kind {
        std::uint64_t count = 0, least = UINT64_MAX, greatest = 0;
        std::uint64_t start = 0, end = 0, rises = 0; // of that; `rises` at its end
    };

    static constexpr std::size_t most_kinds = 2000;

    const Symbols &symbols_;
    // By first, last, callers.
    using Ends = std::tuple<std::uint64_t, std::uint64_t, std::vector<std::uint64_t>>;
    Kind &kind(const Ends &ends);

    std::map<Ends, Kind> kinds_;
    Kind further_;                        // of ends that came when there were so many
    bool known_ = false, masked_ = false; // from the first change on
    std::uint64_t start_ = 0, since_ = 0; // when that was, and how long awake
    std::uint64_t rises_ = 0, rose_ = 0;  // of the line: before this look, and before the change
    std::uint64_t first_ = 0;             // number of the instruction that is executed first then
    std::uint64_t first_pc_ = 0;
    std::vector<std::uint64_t> callers_;
};

} // namespace twin
