#include "timing/a53/prefetcher.h"

#include <cstdlib>

namespace twin::a53 {

unsigned Prefetcher::miss(LineNumber line) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        auto &stream = streams_[i];
        auto distance = static_cast<std::int64_t>(line - stream.last);
        if (distance == 0)
            return 0;
        if (std::abs(distance) > furthest)
            continue;
        stream.run = distance == stream.stride ? stream.run + 1 : 2;
        stream.stride = distance;
        stream.last = line;
        current_ = i;
        return stream.run >= parameters_.prefetch_trigger
                   ? static_cast<unsigned>(parameters_.prefetch_depth)
                   : 0;
    }
    current_ = oldest_;
    oldest_ = (oldest_ + 1) % streams_.size();
    streams_[current_] = {line, 0, 1};
    return 0;
}

} // namespace twin::a53
