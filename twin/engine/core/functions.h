// What a program executes to answer a line: instructions by function, stimulus by stimulus.
#pragma once

#include "core/symbols.h"

#include <cstdint>
#include <fstream>
#include <map>
#include <string>

namespace twin {

// CSV "stimulus,function,instructions": from a rise of the line to the last place that is passed
// before the next rise.
class Functions {
  public:
    // An empty path: no record. Refuses a file that cannot be written.
    Functions(const std::string &path, const Symbols &symbols);

    void rises();
    void executes(std::uint64_t pc) {
        if (open_)
            ++counts_[symbols_.function(pc)];
    }
    void passes();
    void flush();

  private:
    const Symbols &symbols_;
    std::ofstream file_;
    bool open_ = false;
    std::uint64_t stimuli_ = 0;
    std::map<std::uint64_t, std::uint64_t> counts_, passed_; // by first address; until the place
};

} // namespace twin
