// Record of the markers: what each core had executed when it stored one.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace twin {

// CSV "core,code,instructions", in the order in which the stores arrive; the store itself counts.
class MarkerLog {
  public:
    // An empty path: no record. Refuses a file that cannot be written.
    explicit MarkerLog(const std::string &path);

    void store(unsigned core, unsigned code, std::uint64_t instructions);
    void flush() { file_.flush(); }

  private:
    std::ofstream file_;
};

} // namespace twin
