#include "timing/a53/store_buffer.h"

#include <algorithm>

namespace twin::a53 {

Time StoreBuffer::room(Time time) {
    while (!entries_.empty() && entries_.front().done <= time)
        entries_.pop_front();
    return entries_.size() < size_ ? time : entries_.front().done;
}

void StoreBuffer::push(std::uint64_t address, Time possible, Time drain) {
    last_done_ = std::max(last_done_, possible) + drain;
    entries_.push_back({address / chunk_bytes, last_done_});
}

} // namespace twin::a53
