#include "timing/a53/cache.h"

namespace twin::a53 {

Cache::Cache(std::uint64_t kilobytes, std::uint64_t ways, Random random)
    : sets_(static_cast<unsigned>(kilobytes * 1024 / line_bytes / ways)),
      ways_(static_cast<unsigned>(ways)), lines_(std::size_t{sets_} * ways_) {
    for (unsigned set = 0; set < sets_; ++set)
        start_.push_back(random.split());
    random_ = start_;
}

std::optional<Cache::Line> Cache::fill(LineNumber number, Time ready, bool dirty, bool shared) {
    std::size_t index = set_of(number);
    Line *set = &lines_[index * ways_];
    Line *place = nullptr;
    unsigned valid = 0;
    for (unsigned way = 0; way < ways_; ++way)
        if (set[way].valid())
            ++valid;
        else if (!place)
            place = &set[way];
    if (valid == 0)
        random_[index] = start_[index];
    if (!place)
        place = &set[random_[index].next() % ways_];
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
