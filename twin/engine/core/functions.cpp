#include "core/functions.h"

namespace twin {

Functions::Functions(const std::string &path, const Symbols &symbols, Time tick)
    : symbols_(symbols), tick_(tick),
      file_("the functions", path, "stimulus,function,instructions,ticks") {}

void Functions::rises(Time at) {
    if (!file_.wanted())
        return;
    flush();
    spent_.clear();
    open_ = true;
    since_ = at;
    ++stimuli_;
}

// Instructions that a core executed ahead of a rise that reaches it later count as before it.
void Functions::spend(Time until) {
    if (until <= since_)
        return;
    spent_[symbols_.function(last_)].time += until - since_;
    since_ = until;
}

void Functions::passes(Time at) {
    if (!open_)
        return;
    spend(at);
    passed_ = spent_;
}

void Functions::flush() {
    for (const auto &[address, spent] : passed_)
        file_.row(stimuli_, csv_field(symbols_.name(address)), spent.instructions,
                  static_cast<double>(spent.time) / static_cast<double>(tick_));
    passed_.clear();
    file_.flush();
}

} // namespace twin
