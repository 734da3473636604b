#include "core/masked_map.h"

#include <algorithm>

namespace twin {

// The first instruction while masked is in the function that masks, or is the vector of a trap; the
// last one before is the instruction that unmasks, or the return.
void MaskedMap::look(const Look &now, const CallChain &calls) {
    if (now.masked != masked_) {
        if (!now.masked && known_ && first_ < now.number) {
            auto &kind = this->kind({first_pc_, now.last_pc, callers_});
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

MaskedMap::Kind &MaskedMap::kind(const Ends &ends) {
    if (auto found = kinds_.find(ends); found != kinds_.end())
        return found->second;
    return kinds_.size() < most_kinds ? kinds_[ends] : further_;
}

void MaskedMap::write(CsvFile &out, std::uint64_t per,
                      const std::function<std::uint64_t(std::uint64_t)> &tick_at) const {
    auto write = [&](const std::string &opened, const std::string &caller,
                     const std::string &closed, const Kind &kind) {
        out.row(csv_field(opened), csv_field(caller), csv_field(closed), kind.count,
                kind.least / per, kind.greatest / per, tick_at(kind.start), tick_at(kind.end));
    };
    for (const auto &[ends, kind] : kinds_) {
        const auto &[first, last, callers] = ends;
        std::string chain;
        for (auto caller : callers)
            chain += (chain.empty() ? "" : " < ") +
                     (caller == CallChain::further ? "..." : symbols_.return_to(caller));
        write(symbols_.where(first), chain, symbols_.where(last), kind);
    }
    if (further_.count)
        write("and " + std::to_string(further_.count) + " more", "", "", further_);
    out.flush();
}

} // namespace twin
