#include "core/markers.h"

#include "core/stop.h"

namespace twin {

MarkerLog::MarkerLog(const std::string &path) {
    if (path.empty())
        return;
    file_.open(path);
    if (!file_)
        refuse("cannot write the markers to " + path);
    file_ << "core,code,instructions\n";
}

void MarkerLog::store(unsigned core, unsigned code, std::uint64_t instructions) {
    if (file_.is_open())
        file_ << core << ',' << code << ',' << instructions << '\n';
}

} // namespace twin
