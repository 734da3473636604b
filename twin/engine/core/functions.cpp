#include "core/functions.h"

namespace twin {

Functions::Functions(const std::string &path, const Symbols &symbols) : symbols_(symbols) {
    if (path.empty())
        return;
    file_.open(path);
    if (!file_)
        refuse("cannot write the functions to " + path);
    file_ << "stimulus,function,instructions\n";
}

void Functions::rises() {
    if (!file_.is_open())
        return;
    flush();
    counts_.clear();
    open_ = true;
    ++stimuli_;
}

void Functions::passes() {
    if (open_)
        passed_ = counts_;
}

void Functions::flush() {
    for (const auto &[address, count] : passed_)
        file_ << stimuli_ << ",\"" << symbols_.name(address) << "\"," << count << '\n';
    passed_.clear();
    file_.flush();
}

} // namespace twin
