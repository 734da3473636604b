// Instructions and time that a program spends to answer a line, by function, for each stimulus.
#pragma once

#include "core/csv_file.h"
#include "core/symbols.h"
#include "core/units.h"

#include <cstdint>
#include <map>
#include <string>

namespace twin {

// CSV "stimulus,function,instructions,ticks": from a rise of the line to the last place that is
// passed before the next rise. The time from an instruction to the next one belongs to its
// function, as does the time from the rise on of instructions executed then.
class Functions {
  public:
    // An empty path: no record. `tick`: of the instrument, in the unit of all times. Refuses a file
    // that cannot be written.
    Functions(const std::string &path, const Symbols &symbols, Time tick);

    void rises(Time at);
    void executes(std::uint64_t pc, Time at) {
        if (open_) {
            spend(at);
            ++spent_[symbols_.function(pc)].instructions;
        }
        last_ = pc;
    }
    void passes(Time at);
    void flush();

  private:
    struct Spent {
        std::uint64_t instructions = 0;
        Time time = 0;
    };

    void spend(Time until);

    const Symbols &symbols_;
    const Time tick_;
    CsvFile file_;
    bool open_ = false;
    std::uint64_t stimuli_ = 0, last_ = 0;          // the last instruction's address
    Time since_ = 0;                                // which nobody has been told to have spent
    std::map<std::uint64_t, Spent> spent_, passed_; // by first address; until the place
};

} // namespace twin
