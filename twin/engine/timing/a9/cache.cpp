#include "timing/a9/cache.h"

namespace twin::a9 {

namespace {

// Pseudo-random numbers from a state of 32 bits that is never 0.
std::uint32_t after(std::uint32_t state) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

} // namespace

Cache::Line *Cache::find(LineNumber number) {
    Line *set = &lines_[(number & (sets_ - 1)) * ways_];
    for (unsigned way = 0; way < ways_; ++way)
        if (set[way].number == number)
            return &set[way];
    return nullptr;
}

std::optional<Cache::Line> Cache::fill(LineNumber number, Time ready, bool dirty,
                                       std::uint32_t locked) {
    std::size_t index = number & (sets_ - 1);
    Line *set = &lines_[index * ways_];
    Line *place = nullptr;
    unsigned allowed = 0, valid = 0;
    for (unsigned way = 0; way < ways_; ++way) {
        valid += set[way].valid();
        if (locked >> way & 1)
            continue;
        ++allowed;
        if (!place && !set[way].valid())
            place = &set[way];
    }
    if (!allowed)
        return std::nullopt;
    auto &next = next_[index];
    if (!valid) // an emptied set restarts its sequence, whatever it held before
        next = victim_ == Victim::random ? static_cast<std::uint32_t>(index) * 0x9E37'79B9 + 1 : 0;
    if (!place) {
        next = victim_ == Victim::random ? after(next) : next + 1;
        unsigned skip = next % allowed;
        for (unsigned way = 0; way < ways_; ++way)
            if (!(locked >> way & 1) && skip-- == 0)
                place = &set[way];
    }
    std::optional<Line> victim;
    if (place->valid())
        victim = *place;
    *place = {number, ready, dirty};
    return victim;
}

std::optional<Cache::Line> Cache::remove(LineNumber number) {
    Line *line = find(number);
    if (!line)
        return std::nullopt;
    Line old = *line;
    *line = Line{};
    return old;
}

void Cache::clear() {
    for (auto &line : lines_)
        line = Line{};
}

} // namespace twin::a9
