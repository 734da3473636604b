#include "timing/a9/memories.h"

#include <algorithm>

namespace twin::a9 {

Memories::Memories(const Parameters &parameters)
    : parameters_(parameters),
      l2_(parameters.l2_size, parameters.l2_ways, Cache::Victim::round_robin) {}

// A refresh that is under way is waited for.
Time Memories::ddr(Time at, Time takes) {
    ++counters_.ddr;
    Time into = at % parameters_.ddr_refresh_period;
    if (into < parameters_.ddr_refresh)
        at += parameters_.ddr_refresh - into;
    ++ddr_accesses_;
    if (auto every = parameters_.ddr_excursion_every; every && ddr_accesses_ % every == 0)
        at += parameters_.ddr_excursion;
    return at + takes;
}

// Whether L2 has the line. If it has not, and may, it takes the line in.
bool Memories::in_l2(unsigned core, LineNumber line, bool outer, bool instructions, Time ready) {
    if (!enabled_ || !outer)
        return false;
    if (l2_.find(line)) {
        ++counters_.l2_hits;
        return true;
    }
    ++counters_.l2_misses;
    l2_.fill(line, ready, false, locked_[core][instructions]);
    return false;
}

Time Memories::load(unsigned core, LineNumber line, bool outer, Time at) {
    for (auto *other : l1d_) // the SCU takes it from the other core as fast as from L2
        if (auto *found = other->find(line); found && other != l1d_[core]) {
            found->dirty = false;
            return at + parameters_.l2_load;
        }
    if (is_ocm(line * line_bytes)) {
        ++counters_.ocm;
        return at + parameters_.ocm_load;
    }
    if (in_l2(core, line, outer, false, at))
        return at + parameters_.l2_load;
    return ddr(at, parameters_.ddr_load);
}

Time Memories::fetch(unsigned core, LineNumber line, bool outer, Time at) {
    if (is_ocm(line * line_bytes)) {
        ++counters_.ocm;
        return at + parameters_.ocm_line;
    }
    if (in_l2(core, line, outer, true, at))
        return at + parameters_.l1i_fill;
    return ddr(at, parameters_.ddr_line);
}

Time Memories::descriptor(unsigned core, std::uint64_t address, bool cached, Time at) {
    if (!cached)
        return uncached(core, address, at);
    return load(core, line_of(address), true, at);
}

Time Memories::uncached(unsigned core, std::uint64_t address, Time at) {
    auto &until = uncached_until_[core];
    at = std::max(at, until);
    if (is_ocm(address)) {
        ++counters_.ocm;
        until = at + parameters_.ocm_uncached;
    } else {
        until = ddr(at, parameters_.ddr_uncached);
    }
    return until;
}

Time Memories::write_uncached(std::uint64_t address, Time at) {
    if (is_ocm(address)) {
        ++counters_.ocm;
        return at + parameters_.ocm_uncached;
    }
    return ddr(at, parameters_.ddr_uncached);
}

void Memories::write_back(unsigned core, LineNumber line, bool outer) {
    if (!enabled_ || !outer || is_ocm(line * line_bytes))
        return; // to memory, which nobody waits for
    if (auto *found = l2_.find(line))
        found->dirty = true;
    else
        l2_.fill(line, 0, true, locked_[core][false]);
}

void Memories::claim(unsigned core, LineNumber line) {
    for (auto *other : l1d_)
        if (other != l1d_[core])
            other->remove(line);
}

void Memories::maintain(LineNumber line, bool invalidate) {
    auto *found = l2_.find(line);
    if (!found)
        return;
    found->dirty = false;
    if (invalidate)
        l2_.remove(line);
}

void Memories::maintain_ways(std::uint32_t ways, bool invalidate) {
    for (unsigned set = 0; set < l2_.sets(); ++set)
        for (unsigned way = 0; way < l2_.ways(); ++way) {
            if (!(ways >> way & 1))
                continue;
            auto *line = l2_.at(set, way);
            line->dirty = false;
            if (invalidate)
                *line = Cache::Line{};
        }
}

void Memories::lock(unsigned core, bool instructions, std::uint32_t ways) {
    if (core < cores)
        locked_[core][instructions] = ways;
}

} // namespace twin::a9
