// Record of every change of the gateware's inputs and outputs, to be replayed elsewhere.
#pragma once

#include "core/csv_file.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace twin {

// CSV "tick,signal,value" (value in hexadecimal). An input's row names the tick at whose end it
// is first sampled; an output's row the first tick in which it has the value.
class Trace {
  public:
    // An empty path: no trace. Refuses a file that cannot be written.
    explicit Trace(const std::string &path) : file_("the trace", path, "tick,signal,value") {}

    bool enabled() const { return file_.wanted(); }
    void change(std::uint64_t tick, const char *signal, std::uint64_t value);
    void flush() { file_.flush(); }

  private:
    CsvFile file_;
    std::map<std::string_view, std::uint64_t> last_;
};

} // namespace twin
