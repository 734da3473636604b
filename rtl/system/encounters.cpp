#include "encounters.h"

#include <algorithm>

namespace rtl {

Encounters::Encounters(const std::string &path)
    : file_("what the lines met", path, "tick,line,met,masked") {}

void Encounters::look(const Look &now) {
    shows_ = now.shows;
    std::uint32_t rises = now.levels & ~levels_, falls = levels_ & ~now.levels;
    for (unsigned number = 0; number < lines; ++number) {
        auto &line = lines_[number];
        bool over = now.taken == number || falls >> number & 1 ||
                    (!now.shows_taken && !(now.masked >> number & 1));
        if (line.waits && over)
            settle(line, number);
        mask(line, number, now);
        if (rises >> number & 1)
            rise(line, number, now);
    }
    follow(now);
    levels_ = now.levels;
    if (rises)
        file_.flush();
}

// Handlers in progress, for the next cycle. A return from none, as a kernel makes it, is none.
void Encounters::follow(const Look &now) {
    if (now.returns && !handlers_.empty())
        handlers_.pop_back();
    if (now.taken)
        handlers_.push_back(*now.taken);
    else if (now.traps && !handlers_.empty())
        handlers_.push_back(lines);
    before_ = !handlers_.empty() ? Met::handler
              : now.asleep       ? Met::asleep
              : now.shows        ? Met::running
                                 : Met::awake;
}

bool Encounters::serves(unsigned number) const {
    return std::find(handlers_.begin(), handlers_.end(), number) != handlers_.end();
}

void Encounters::mask(Line &line, unsigned number, const Look &now) {
    bool masked = now.masked >> number & 1;
    if (masked && !line.masked) {
        line.began = now.at;
        line.length = 0;
        // A core that does not show what it takes masks a line that is up by taking it.
        bool up = now.levels >> number & 1;
        line.own = now.taken == number || serves(number) || (!now.shows_taken && up);
    } else if (!masked && line.masked) {
        end_of_mask(line);
    }
    line.masked = masked;
    line.length += masked && !now.asleep;
    line.waited += line.waits && masked && !now.asleep;
}

void Encounters::end_of_mask(Line &line) {
    if (line.own || line.length <= line.longest)
        return;
    line.longest = line.length;
    line.longest_began = line.began;
}

void Encounters::rise(Line &line, unsigned number, const Look &now) {
    settle(line, number);
    write_longest(line, number);
    bool masked = now.masked >> number & 1;
    line.met = before_ == Met::running && masked ? Met::masked : before_;
    line.rose = now.at;
    line.waits = true;
    line.waited = masked && !now.asleep;
    if (!now.shows || (!now.shows_taken && !masked))
        settle(line, number);
}

void Encounters::settle(Line &line, unsigned number) {
    if (!line.waits)
        return;
    static constexpr const char *names[] = {"asleep", "handler", "masked", "running", "awake"};
    const char *met = names[static_cast<unsigned>(line.met)];
    if (shows_)
        file_.row(line.rose, number, met, line.waited);
    else
        file_.row(line.rose, number, met, "");
    line.waits = false;
}

void Encounters::write_longest(Line &line, unsigned number) {
    if (line.longest)
        file_.row(line.longest_began, number, "mask", line.longest);
    line.longest = 0;
}

void Encounters::forget_masks() {
    for (auto &line : lines_)
        line.longest = line.length = 0;
}

void Encounters::flush() {
    for (unsigned number = 0; number < lines && file_.wanted(); ++number) {
        settle(lines_[number], number);
        if (lines_[number].masked)
            end_of_mask(lines_[number]);
        write_longest(lines_[number], number);
    }
    file_.flush();
}

} // namespace rtl
