// Record of the markers: the instructions that each core had executed when it stored one.
#pragma once

#include "core/csv_file.h"

#include <cstdint>
#include <string>

namespace twin {

// CSV "core,code,instructions", in the order in which the stores arrive; the store itself counts.
class MarkerLog {
  public:
    // An empty path: no record. Refuses a file that cannot be written.
    explicit MarkerLog(const std::string &path)
        : file_("the markers", path, "core,code,instructions") {}

    void store(unsigned core, unsigned code, std::uint64_t instructions) {
        if (file_.wanted())
            file_.row(core, code, instructions);
    }
    void flush() { file_.flush(); }

  private:
    CsvFile file_;
};

} // namespace twin
