// Stores on their way out of a core: 16 bytes an entry, leaving in order.
#pragma once

#include "core/units.h"
#include "timing/a53/parameters.h"

#include <cstdint>
#include <deque>

namespace twin::a53 {

class StoreBuffer {
  public:
    explicit StoreBuffer(const Parameters &parameters) : size_(parameters.store_entries) {}

    static constexpr std::uint64_t chunk_bytes = 16;

    // Does a store to `address` at `time` merge into the youngest entry?
    bool merges(std::uint64_t address, Time time) const {
        return !entries_.empty() && entries_.back().done > time &&
               entries_.back().chunk == address / chunk_bytes;
    }

    // When there is room for a further entry.
    Time room(Time time);

    // A new entry, which can leave at `possible` and takes `drain`. Precondition: there is room.
    void push(std::uint64_t address, Time possible, Time drain);

    // When everything has left.
    Time empty() const { return last_done_; }

  private:
    struct Entry {
        std::uint64_t chunk;
        Time done;
    };

    std::size_t size_;
    std::deque<Entry> entries_;
    Time last_done_ = 0;
};

} // namespace twin::a53
