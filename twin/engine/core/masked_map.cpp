#include "core/masked_map.h"

#include <algorithm>

namespace twin {

// What is first executed while masked is in the function that masks, or is the vector of a trap;
// what was executed last before is the instruction that unmasks, or the return.
void MaskedMap::look(const Look &now, const std::function<std::uint64_t()> &return_address) {
    if (now.masked != masked_) {
        if (!now.masked && known_ && first_ < now.number) {
            auto &kind = kinds_[{first_pc_, caller_, now.last_pc}];
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
        // After a trap the return address is that of what it met; after a call of its own, the
        // function's own.
        bool trap = now.number == 0 || first_pc_ - now.last_pc > 4;
        std::uint64_t to = trap ? 0 : return_address();
        caller_ = symbols_.function(to) == symbols_.function(first_pc_) ? 0 : to;
    }
}

void MaskedMap::write(std::ostream &out, std::uint64_t per,
                      const std::function<std::uint64_t(std::uint64_t)> &tick_at) const {
    out << "opened,caller,closed,count,least,greatest,start,end\n";
    for (const auto &[places, kind] : kinds_)
        out << symbols_.where(places[0]) << ',' << (places[1] ? symbols_.where(places[1]) : "")
            << ',' << symbols_.where(places[2]) << ',' << kind.count << ',' << kind.least / per
            << ',' << kind.greatest / per << ',' << tick_at(kind.start) << ',' << tick_at(kind.end)
            << '\n';
}

} // namespace twin
