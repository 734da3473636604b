#include "cache.h"

namespace twin::a53 {

Cache::Cache(unsigned sets, unsigned ways, Random random)
    : sets_(sets), ways_(ways), random_(random), lines_(std::size_t{sets} * ways) {}

std::optional<Cache::Line> Cache::fill(LineNumber number, Time ready, bool dirty, bool shared) {
    Line *set = &lines_[set_of(number) * ways_];
    Line *place = nullptr;
    for (unsigned way = 0; way < ways_ && !place; ++way)
        if (!set[way].valid())
            place = &set[way];
    if (!place)
        place = &set[random_.next() % ways_];
    auto victim = take(*place);
    *place = {number, ready, dirty, shared};
    return victim;
}

std::optional<Cache::Line> Cache::take(Line &line) {
    if (!line.valid())
        return std::nullopt;
    Line old = line;
    line = Line{};
    return old;
}

std::optional<Cache::Line> Cache::remove(LineNumber number) {
    Line *line = find(number);
    return line ? take(*line) : std::nullopt;
}

Cache::Line *Cache::at(unsigned set, unsigned way) {
    if (set >= sets_ || way >= ways_)
        return nullptr;
    return &lines_[std::size_t{set} * ways_ + way];
}

void Cache::clear() {
    for (auto &line : lines_)
        line = Line{};
}

} // namespace twin::a53
