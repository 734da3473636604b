#include "markers.h"

#include "core.h"
#include "device.h"
#include "stop.h"

namespace twin {

MarkerLog::MarkerLog(const std::string &path) {
    if (path.empty())
        return;
    file_.open(path);
    if (!file_)
        refuse("cannot write the markers to " + path);
    file_ << "core,code,instructions\n";
}

void MarkerLog::store(const Access &access, std::uint32_t word) {
    if (!file_.is_open())
        return;
    unsigned core = access.core->number();
    file_ << core << ',' << (word >> 4 * core & 7) << ',' << access.instructions << '\n';
}

} // namespace twin
