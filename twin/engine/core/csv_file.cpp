#include "core/csv_file.h"

#include "core/stop.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace twin {

CsvFile::CsvFile(std::string what, const std::string &path, const char *header)
    : what_(std::move(what)), path_(path) {
    if (path.empty())
        return;
    file_.open(path);
    if (!file_)
        refuse("cannot write " + what_ + " to " + path_);
    file_ << header << '\n';
    flush();
}

void CsvFile::flush() {
    if (!wanted())
        return;
    errno = 0;
    file_.flush();
    if (!file_)
        stop_engine("cannot write " + what_ + " to " + path_ +
                    (errno ? std::string(" (") + std::strerror(errno) + ")" : ""));
}

std::string csv_field(const std::string &text) {
    std::string field = "\"";
    for (char each : text)
        field += each == '"' ? "\"\"" : std::string(1, each);
    return field + "\"";
}

std::string json_string(const std::string &text) {
    std::string found = "\"";
    for (char each : text) {
        auto code = static_cast<unsigned char>(each);
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", code);
        if (code < 0x20 || code == 0x7F)
            found += escape;
        else
            found += each == '"' || each == '\\' ? std::string("\\") + each : std::string(1, each);
    }
    return found + "\"";
}

} // namespace twin
