// A CSV file that a run tells something in: it is whole, or the process ends and says why.
#pragma once

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <string>

namespace twin {

class CsvFile {
  public:
    // An empty path: no file. `what` it holds, for messages. Refuses a file that cannot be opened.
    CsvFile(std::string what, const std::string &path, const char *header);

    // Passes the remaining rows on, as flush() does.
    ~CsvFile() { flush(); }

    bool wanted() const { return file_.is_open(); }

    // A row of fields, which need no quotes.
    template <typename First, typename... Rest> void row(const First &first, const Rest &...rest) {
        file_ << first;
        ((file_ << ',' << rest), ...);
        file_ << '\n';
    }

    // Passes on what was written. Ends the process if the disk did not take all of it.
    void flush();

  private:
    std::string what_, path_;
    std::ofstream file_;
};

// A text as a field, in quotes.
std::string csv_field(const std::string &text);

// A text as JSON writes it, in quotes.
std::string json_string(const std::string &text);

} // namespace twin
