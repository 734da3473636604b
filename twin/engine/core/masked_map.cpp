#include "core/masked_map.h"

#include <algorithm>

namespace twin {

// What is first executed while masked is in the function that masks, or is the vector of a trap;
// what was executed last before is the instruction that unmasks, or the return.
void MaskedMap::look(const Look &now, const CallChain &calls) {
    if (now.masked != masked_) {
        if (!now.masked && known_ && first_ < now.number) {
            auto &kind = kinds_[{first_pc_, now.last_pc, callers_}];
            std::uint64_t length = now.awake - since_;
            ++kind.count;
            kind.least = std::min(kind.least, length);
            bool tells = now.rises > rose_ || kind.rises == 0;
            if (length > kind.greatest || (length == kind.greatest && tells)) {
                kind.greatest = length;
                kind.start = start_;
                kind.end = now.at;
                kind.rises = now.rises;
            }
        }
        known_ = now.counts;
        masked_ = now.masked;
        start_ = now.at;
        since_ = now.awake;
        rose_ = rises_;
        first_ = now.number;
    }
    rises_ = now.rises;
    if (now.masked && now.executes && first_ == now.number) {
        first_pc_ = now.pc;
        callers_ = calls.callers();
    }
}

void MaskedMap::write(std::ostream &out, std::uint64_t per,
                      const std::function<std::uint64_t(std::uint64_t)> &tick_at) const {
    out << "opened,caller,closed,count,least,greatest,start,end\n";
    for (const auto &[ends, kind] : kinds_) {
        const auto &[first, last, callers] = ends;
        out << symbols_.where(first) << ',';
        for (std::size_t n = 0; n < callers.size(); ++n)
            out << (n ? " < " : "") << symbols_.return_to(callers[n]);
        out << ',' << symbols_.where(last) << ',' << kind.count << ',' << kind.least / per << ','
            << kind.greatest / per << ',' << tick_at(kind.start) << ',' << tick_at(kind.end)
            << '\n';
    }
}

} // namespace twin
