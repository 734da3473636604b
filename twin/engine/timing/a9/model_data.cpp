// What loads and stores cost a Model.

#include "timing/a9/model.h"

#include <algorithm>
#include <bit>

namespace twin::a9 {

// Registers go in pairs: n of them take (n + 1) / 2 cycles.
Time Model::access(std::uint64_t address, std::uint64_t physical, unsigned size, bool store_it) {
    Time at = executed_ + accesses_ / 2 * cycle_;
    if (accesses_ && accesses_ % 2 == 0)
        next_ += cycle_; // the one unit for loads and stores is taken
    Page page = translated(address, at);
    if (!cluster_.memory.at(physical, size)) {
        // An access to a device waits for its translation here; the core sees to the rest.
        next_ = std::max(next_, (at + cycle_ - 1) / cycle_ * cycle_);
    } else {
        if (store_it) {
            store(physical, page, at);
        } else {
            Time there = load(physical, page, at);
            quiet_ = std::max(quiet_, there);
            auto registers = current_->loaded;
            for (unsigned i = 0; i < accesses_ && registers; ++i)
                registers &= registers - 1;
            if (registers)
                ready_[static_cast<unsigned>(std::countr_zero(registers))] = there;
            auto &last = window_[(oldest_ + window_.size() - 1) % window_.size()];
            last = std::max(last, there);
        }
    }
    ++accesses_;
    return next_;
}

Page Model::translated(std::uint64_t address, Time &at) {
    if (!regime_.on())
        return {};
    auto [page, known] = tlb_.translate(address, false, at, regime_);
    at = known;
    Page found = *page;
    found.inner = found.inner && regime_.data_cached();
    return found;
}

// When the word is there for an ordinary instruction.
Time Model::load(std::uint64_t address, const Page &page, Time at) {
    if (!page.inner) {
        ++uncached_loads_;
        return memories_.uncached(number_, address, at);
    }
    LineNumber line = line_of(address);
    if (auto *found = l1d_.find(line))
        return std::max(at, found->ready) + parameters_.load;
    ++l1d_misses_;
    return fill(line, page, at);
}

// Reads a line that L1 lacks into it.
Time Model::fill(LineNumber line, const Page &page, Time at) {
    auto &slot = fills_[next_fill_];
    next_fill_ = (next_fill_ + 1) % fills_.size();
    slot = memories_.load(number_, line, page.outer, std::max(at, slot));
    allocate(line, slot - std::min(slot, parameters_.load), false);
    return slot;
}

void Model::allocate(LineNumber line, Time ready, bool dirty) {
    if (auto victim = l1d_.fill(line, ready, dirty); victim && victim->dirty)
        memories_.write_back(number_, victim->number);
}

// Whether a store past the caches joins the one before it, which is still in the buffer.
bool Model::merges(std::uint64_t address, Time at) const {
    const auto &last = stores_[(next_store_ + stores_.size() - 1) % stores_.size()];
    return merged_ == address / merging_bytes && last > at;
}

// A store goes into the merging buffer, and waits only when that is full.
void Model::store(std::uint64_t address, const Page &page, Time at) {
    auto &slot = stores_[next_store_];
    if (slot > at)
        next_ = std::max(next_, slot);
    Time from = std::max(at, slot);
    if (!page.inner) {
        if (merges(address, at))
            return;
        merged_ = address / merging_bytes;
        next_store_ = (next_store_ + 1) % stores_.size();
        slot = memories_.write_uncached(address, from);
        quiet_ = std::max(quiet_, slot);
        return;
    }
    LineNumber line = line_of(address);
    memories_.claim(number_, line);
    if (auto *found = l1d_.find(line)) {
        found->dirty = true;
        return;
    }
    ++l1d_misses_;
    next_store_ = (next_store_ + 1) % stores_.size();
    slot = memories_.load(number_, line, page.outer, from);
    allocate(line, slot, true);
    quiet_ = std::max(quiet_, slot);
}

} // namespace twin::a9
