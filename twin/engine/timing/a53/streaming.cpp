#include "timing/a53/streaming.h"

namespace twin::a53 {

Streaming::Step Streaming::store(std::uint64_t address, unsigned size, bool present) {
    Step step{};
    LineNumber line = line_of(address);
    if (line != line_) {
        bool goes_on = whole() && line == line_ + 1;
        if (streams_)
            (whole() ? step.whole : step.broken) = line_;
        run_ = goes_on && !present ? run_ + 1 : 0;
        streams_ = run_ >= parameters_.streaming_lines;
        line_ = line;
        written_ = 0;
    }
    unsigned offset = address % line_bytes;
    written_ |= (size >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1) << offset;
    step.streams = streams_;
    return step;
}

std::optional<LineNumber> Streaming::load(LineNumber line) {
    if (!streams_ || line != line_)
        return std::nullopt;
    streams_ = false;
    run_ = 0;
    return line_;
}

} // namespace twin::a53
