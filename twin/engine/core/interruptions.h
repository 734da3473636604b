// Where a program was each time that a line interrupted it.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace twin {

// CSV "tick,line,pc": when the interrupt was taken, by the gateware's clock, and the instruction
// that it was taken in front of. Each row is there at once.
class Interruptions {
  public:
    // An empty path: no record. Refuses a file that cannot be written.
    explicit Interruptions(const std::string &path);

    bool wanted() const { return file_.is_open(); }
    void add(std::uint64_t tick, unsigned line, std::uint64_t pc);

  private:
    std::ofstream file_;
};

} // namespace twin
