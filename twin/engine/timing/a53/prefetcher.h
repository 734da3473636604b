// Data prefetcher: a run of misses at one stride of at most four lines is run ahead of.
#pragma once

#include "timing/a53/cache.h"
#include "timing/a53/parameters.h"

#include <cstdint>
#include <vector>

namespace twin::a53 {

class Prefetcher {
  public:
    explicit Prefetcher(const Parameters &parameters)
        : parameters_(parameters), streams_(parameters.prefetch_streams) {}

    // A load of a line that L1 has not, or that was prefetched. Returns by how many lines, of
    // stride(), to be ahead of it; 0: not at all.
    unsigned miss(LineNumber line);
    std::int64_t stride() const { return streams_[current_].stride; }

  private:
    struct Stream {
        LineNumber last = 0;
        std::int64_t stride = 0;
        Time run = 0;
    };

    static constexpr std::int64_t furthest = 4; // lines, TRM 6.6.2

    const Parameters &parameters_;
    std::vector<Stream> streams_;
    std::size_t current_ = 0;
    std::size_t oldest_ = 0;
};

} // namespace twin::a53
