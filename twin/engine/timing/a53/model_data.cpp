// What loads and stores cost a Model.

#include "timing/a53/model.h"

#include <algorithm>

namespace twin::a53 {

namespace {

constexpr std::uint64_t page_bytes = 4096;

} // namespace

Time Model::access() {
    const auto &memory = current_->memory;
    if (memory.count == 0)
        return next_;
    auto address = memory.address(pc_, general_register_);
    for (unsigned i = 0; i < memory.count; ++i)
        access(address + i * memory.size, memory.size, memory.store);
    return next_;
}

void Model::access(std::uint64_t address, unsigned size, bool store_it) {
    // The second register of a pair. Those of vectors arrive here in halves.
    Time at = issued_ + (current_->vector ? accesses_ / 2 : accesses_) * cycle_;
    Attribute attribute = Attribute::device;
    if (regime_->on()) {
        auto [page, known] = tlb_.translate(address, false, at, *regime_, counters_);
        if (!page)
            return; // a data abort follows
        if (known > at) {
            counters_.tlb_stalls += known - at;
            next_ = std::max(next_, known);
            pipeline_.hold_memory_unit(known);
            at = known;
        }
        attribute = page->attribute;
        address = page->physical(address);
    }
    bool cached = attribute == Attribute::write_back && regime_->data_cached();
    if (!cluster_.memory.at(address, size)) {
        // A device: the core sees to the rest.
    } else if (cached) {
        store_it ? store(address, size, at) : load(address, at);
    } else if (store_it) {
        ++counters_.uncached_stores;
        if (!stores_.merges(address, at)) {
            Time room = stores_.room(at);
            counters_.store_stalls += room - at;
            next_ = std::max(next_, room);
            Time taken = memories_.write_uncached(number_, address, room, StoreBuffer::chunk_bytes,
                                                  counters_);
            stores_.push(address, taken, parameters_.store_uncached);
        }
    } else if (accesses_ == 0 || address % line_bytes == 0) { // one burst, in one line
        ++counters_.uncached_loads;
        auto &slot = uncached_loads_[next_uncached_];
        next_uncached_ = (next_uncached_ + 1) % uncached_loads_.size();
        slot = memories_.read_uncached(number_, address, std::max(at, slot),
                                       StoreBuffer::chunk_bytes, counters_);
        deliver(slot);
    } else { // came with the bytes before it
        deliver(uncached_loads_[(next_uncached_ + uncached_loads_.size() - 1) %
                                uncached_loads_.size()]);
    }
    ++accesses_;
}

// The current load's data is there for an address at `at`.
void Model::deliver(Time at) {
    loaded_ = std::max(loaded_, at);
    if (accesses_ < current_->targets)
        pipeline_.deliver(current_->target[accesses_], at - cycle_);
}

// A line that L1 has not, read into it. Returns when the word asked for is there.
Time Model::fill(LineNumber line, Time at, bool own) {
    auto &slot = fills_[next_fill_];
    next_fill_ = (next_fill_ + 1) % fills_.size();
    Time begin = std::max(at, slot);
    if (begin > at && !own) // the load and its successors wait; a store waits in its buffer
        pipeline_.hold_memory_unit(begin);
    auto answer = memories_.read_data(number_, line, begin, own, counters_);
    slot = answer.complete;
    auto victim = l1d_.fill(line, answer.complete, own, answer.shared);
    if (Time wait = victim ? memories_.evict(number_, *victim, begin, counters_) : 0)
        next_ = std::max(next_, at + wait);
    return answer.ready;
}

void Model::run_ahead(LineNumber line, Time at) {
    unsigned depth = prefetcher_.miss(line);
    std::int64_t stride = prefetcher_.stride();
    for (unsigned i = 1; i <= depth; ++i) {
        LineNumber ahead = line + static_cast<LineNumber>(stride * static_cast<std::int64_t>(i));
        // Not past a page, whose translation it does not know.
        if (ahead / line_of(page_bytes) != line / line_of(page_bytes))
            return;
        if (l1d_.find(ahead))
            continue;
        if (fills_[next_fill_] > at)
            return; // loads come first
        ++counters_.prefetches;
        fill(ahead, at, false);
    }
}

void Model::load(std::uint64_t address, Time at) {
    LineNumber line = line_of(address);
    if (auto broken = streaming_.load(line); broken && !l1d_.find(*broken))
        fill(*broken, at, true);
    if (auto *found = l1d_.find(line)) {
        ++counters_.l1d_hits;
        if (found->ready) { // its first use, or still on its way
            if (found->ready > at)
                deliver(std::max(found->ready, at + 3 * cycle_));
            else
                found->ready = 0;
            run_ahead(line, at);
        }
        return;
    }
    ++counters_.l1d_misses;
    deliver(fill(line, at, false));
    run_ahead(line, at);
}

void Model::store(std::uint64_t address, unsigned size, Time at) {
    LineNumber line = line_of(address);
    if (stores_.merges(address, at)) {
        streaming_.store(address, size, true);
        return;
    }
    Time room = stores_.room(at);
    counters_.store_stalls += room - at;
    next_ = std::max(next_, room);

    auto *found = l1d_.find(line);
    auto step = streaming_.store(address, size, found);
    Time possible = room;
    if (step.whole)
        possible +=
            memories_.write_line(number_, *step.whole, room, streaming_.past_l2(), counters_);
    if (step.broken && !l1d_.find(*step.broken)) {
        possible = std::max(possible, fill(*step.broken, room, true));
        found = l1d_.find(line); // the victim may have been this line
    }
    if (found) {
        ++counters_.l1d_hits;
        if (found->shared)
            memories_.claim(number_, line);
        found->shared = false;
        found->dirty = true;
        possible = std::max(possible, found->ready);
    } else if (!step.streams) {
        ++counters_.l1d_misses;
        possible = std::max(possible, fill(line, room, true));
    }
    stores_.push(address, possible, cycle_);
}

} // namespace twin::a53
