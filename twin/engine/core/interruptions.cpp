#include "core/interruptions.h"

#include "core/stop.h"

namespace twin {

Interruptions::Interruptions(const std::string &path) {
    if (path.empty())
        return;
    file_.open(path);
    if (!file_)
        refuse("cannot write the interruptions to " + path);
    file_ << "tick,line,pc" << std::endl;
}

void Interruptions::add(std::uint64_t tick, unsigned line, std::uint64_t pc) {
    file_ << tick << ',' << line << ',' << pc << std::endl;
    if (!file_)
        stop_engine("cannot write where the program was interrupted");
}

} // namespace twin
