#include "timing/m4/flash.h"

#include <algorithm>

namespace twin::m4 {

bool Flash::Lines::uses(std::uint32_t line) {
    auto found = std::find(lines_.rbegin(), lines_.rend(), line);
    if (found == lines_.rend())
        return false;
    std::rotate(std::prev(found.base()), found.base(), lines_.end());
    return true;
}

void Flash::Lines::take(std::uint32_t line) {
    if (most_ == 0)
        return;
    if (lines_.size() == most_)
        lines_.erase(lines_.begin());
    lines_.push_back(line);
}

void Flash::set(const FlashControl &control) {
    control_ = control;
    line_ = literals_ = prefetched_ = none;
}

// The array gives one line at a time.
std::uint64_t Flash::from_array(std::uint64_t cycle) {
    array_free_ = std::max(cycle, array_free_) + control_.wait_states;
    return array_free_;
}

void Flash::prefetch(std::uint32_t line, std::uint64_t cycle) {
    if (!control_.prefetches || prefetched_ == line)
        return;
    if (control_.caches_instructions && instructions_.uses(line))
        return;
    prefetched_ = line;
    prefetched_at_ = from_array(cycle) + 1;
}

std::uint64_t Flash::fetch(std::uint32_t address, std::uint64_t cycle) {
    std::uint32_t line = address / 16;
    if (line == line_)
        return cycle;
    line_ = line;
    if (control_.wait_states == 0)
        return cycle;
    std::uint64_t there = cycle;
    if (!control_.caches_instructions || !instructions_.uses(line)) {
        ++instruction_misses_;
        if (prefetched_ == line) {
            there = std::max(cycle, prefetched_at_);
            prefetched_ = none;
        } else {
            there = from_array(cycle);
        }
        if (control_.caches_instructions)
            instructions_.take(line);
    }
    prefetch(line + 1, there);
    return there;
}

std::uint64_t Flash::read(std::uint32_t address, std::uint64_t cycle) {
    std::uint32_t line = address / 16;
    if (control_.wait_states == 0)
        return cycle;
    if (!control_.caches_data) {
        bool same = line == literals_;
        literals_ = line;
        return same ? cycle : from_array(cycle);
    }
    if (data_.uses(line))
        return cycle;
    ++data_misses_;
    data_.take(line);
    return from_array(cycle);
}

} // namespace twin::m4
