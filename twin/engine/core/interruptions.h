// Where a program was each time that a line interrupted it.
#pragma once

#include "core/csv_file.h"

#include <cstdint>
#include <string>

namespace twin {

// CSV "tick,line,pc": when the interrupt was taken, by the gateware's clock, and the instruction
// that it was taken in front of. Each row is there at once.
class Interruptions {
  public:
    // An empty path: no record. Refuses a file that cannot be written.
    explicit Interruptions(const std::string &path)
        : file_("the interruptions", path, "tick,line,pc") {}

    bool wanted() const { return file_.wanted(); }
    void add(std::uint64_t tick, unsigned line, std::uint64_t pc) {
        file_.row(tick, line, pc);
        file_.flush();
    }

  private:
    CsvFile file_;
};

} // namespace twin
