#include "timing/a53/memories.h"

#include <algorithm>

namespace twin::a53 {

namespace {

// How long a line takes at a rate in MB/s, which are bytes in a microsecond.
Time line_time(Time rate) { return line_bytes * 1000 * per_ns / rate; }

} // namespace

Memories::Memories(const Parameters &parameters)
    : parameters_(parameters), cycle_(parameters.place.cycle),
      l2_(parameters.l2_size, parameters.l2_ways, Random(0x12)),
      reads_(line_time(parameters.port_bandwidth)), writes_(line_time(parameters.port_bandwidth)),
      ddr_(line_time(parameters.ddr_bandwidth), parameters.ddr_refresh_period,
           parameters.ddr_refresh),
      ocm_(parameters.ocm_line), banks_(parameters) {}

// One access after the other; returns how long this one has to wait.
Time Memories::pass_l2(Time time) {
    Time begin = std::max(time, l2_free_);
    l2_free_ = begin + parameters_.l2_occupancy * cycle_;
    return begin - time;
}

void Memories::pass_banks(unsigned core, LineNumber line, bool write, Time time) {
    if (!is_ocm(line))
        banks_.pass(core, line * line_bytes, write, time);
}

// A part of a line occupies the way out of the cluster for its own length, and the DDR for a whole
// burst, which is a line.
Time Memories::take_uncached(Port &way, unsigned core, std::uint64_t address, Time time,
                             unsigned bytes, bool write) {
    Time begin = way.take(time, bytes);
    if (address >= parameters_.place.ocm_base)
        return ocm_.take(begin, bytes);
    return banks_.wait(core, address, write, ddr_.take(begin, line_bytes));
}

// Load-use of a line that no cache has.
Time Memories::memory_load(unsigned core, LineNumber line, Time time, Counters &counters) {
    bool ocm = is_ocm(line);
    ++(ocm ? counters.ocm_reads : counters.ddr_reads);
    Time begin = memory_of(line).take(reads_.take(time, line_bytes), line_bytes);
    pass_banks(core, line, false, begin);
    return begin + (ocm ? parameters_.ocm_load : parameters_.ddr_load);
}

Time Memories::write_memory(unsigned core, LineNumber line, Time time, Counters &counters) {
    ++(is_ocm(line) ? counters.ocm_writes : counters.ddr_writes);
    auto queue = static_cast<unsigned>(parameters_.write_queue);
    Port &memory = memory_of(line);
    Time wait = std::max(writes_.wait_for_room(time, queue), memory.wait_for_room(time, queue));
    Time begin = memory.take(writes_.take(time, line_bytes), line_bytes);
    pass_banks(core, line, true, begin);
    return wait;
}

// Does another core's L1 have the line? `take` removes it there; `dirty` becomes true if the
// copy that went was.
bool Memories::held_by_other(unsigned core, LineNumber line, bool take, bool &dirty) {
    bool held = false;
    for (unsigned other = 0; other < l1d_.size(); ++other) {
        if (other == core)
            continue;
        auto *copy = l1d_[other]->find(line);
        if (!copy)
            continue;
        held = true;
        if (take) {
            dirty |= copy->dirty;
            l1d_[other]->remove(line);
        } else {
            copy->shared = true;
        }
    }
    return held;
}

Memories::Fill Memories::read_data(unsigned core, LineNumber line, Time time, bool own,
                                   Counters &counters) {
    Time hit = time + pass_l2(time) + parameters_.l2_load * cycle_;
    bool dirty = false;
    if (held_by_other(core, line, own, dirty)) {
        ++counters.snoop_hits;
        return {hit, hit, !own};
    }
    if (auto *found = l2_.find(line)) {
        ++counters.l2_hits;
        Time ready = std::max(hit, found->ready);
        return {ready, ready, false};
    }
    ++counters.l2_misses;
    Time ready = memory_load(core, line, time, counters);
    return {ready, ready + parameters_.ddr_rest, false};
}

Time Memories::read_instructions(unsigned core, LineNumber line, Time time, Counters &counters) {
    Time hit = time + pass_l2(time) + parameters_.l1i_fill * cycle_;
    if (auto *found = l2_.find(line)) {
        ++counters.l2_hits;
        return std::max(hit, found->ready);
    }
    ++counters.l2_misses;
    Time ready = memory_load(core, line, time, counters);
    allocate_l2(core, line, ready + parameters_.ddr_rest, false, time, counters);
    return ready;
}

Time Memories::read_descriptor(unsigned core, std::uint64_t address, Time time, bool cached,
                               Counters &counters) {
    ++counters.walk_reads;
    if (!cached)
        return read_uncached(core, address, time, 8, counters);
    LineNumber line = line_of(address);
    Time hit = time + pass_l2(time) + parameters_.l2_load * cycle_;
    bool dirty = false;
    if (held_by_other(static_cast<unsigned>(l1d_.size()), line, false, dirty))
        return hit;
    if (auto *found = l2_.find(line))
        return std::max(hit, found->ready);
    Time ready = memory_load(core, line, time, counters);
    allocate_l2(core, line, ready + parameters_.ddr_rest, false, time, counters);
    return ready;
}

Time Memories::read_uncached(unsigned core, std::uint64_t address, Time time, unsigned bytes,
                             Counters &counters) {
    bool ocm = address >= parameters_.place.ocm_base;
    ++(ocm ? counters.ocm_reads : counters.ddr_reads);
    return take_uncached(reads_, core, address, time, bytes, false) +
           (ocm ? parameters_.ocm_load : parameters_.ddr_uncached);
}

Time Memories::write_uncached(unsigned core, std::uint64_t address, Time time, unsigned bytes,
                              Counters &counters) {
    bool ocm = address >= parameters_.place.ocm_base;
    ++(ocm ? counters.ocm_writes : counters.ddr_writes);
    return take_uncached(writes_, core, address, time, bytes, true);
}

Time Memories::allocate_l2(unsigned core, LineNumber line, Time ready, bool dirty, Time time,
                           Counters &counters) {
    if (auto *found = l2_.find(line)) {
        found->dirty |= dirty;
        return 0;
    }
    auto victim = l2_.fill(line, ready, dirty, false);
    return victim && victim->dirty ? write_memory(core, victim->number, time, counters) : 0;
}

Time Memories::evict(unsigned core, const Cache::Line &line, Time time, Counters &counters) {
    if (line.dirty)
        ++counters.l1d_writebacks;
    pass_l2(time);
    return allocate_l2(core, line.number, time, line.dirty, time, counters);
}

Time Memories::write_line(unsigned core, LineNumber line, Time time, bool past_l2,
                          Counters &counters) {
    ++counters.streamed_lines;
    claim(core, line);
    pass_l2(time);
    if (past_l2 && !l2_.find(line))
        return write_memory(core, line, time, counters);
    return allocate_l2(core, line, time, true, time, counters);
}

void Memories::claim(unsigned core, LineNumber line) {
    bool dirty = false;
    held_by_other(core, line, true, dirty);
}

Time Memories::maintain_l2(unsigned core, unsigned set, unsigned way, bool clean, bool invalidate,
                           Time time, Counters &counters) {
    auto *line = l2_.at(set & (l2_.sets() - 1), way);
    if (!line || !line->valid())
        return 0;
    Time wait = clean && line->dirty ? write_memory(core, line->number, time, counters) : 0;
    line->dirty = false;
    if (invalidate)
        *line = Cache::Line{};
    return wait;
}

void Memories::flush_everywhere(unsigned core, LineNumber line, Time time, Counters &counters) {
    write_back(core, line, time, counters);
    for (auto *cache : l1d_)
        cache->remove(line);
    l2_.remove(line);
}

void Memories::write_back(unsigned core, LineNumber line, Time time, Counters &counters) {
    bool dirty = false;
    auto clean = [&dirty](Cache::Line *copy) {
        if (!copy)
            return;
        dirty |= copy->dirty;
        copy->dirty = false;
    };
    for (auto *cache : l1d_)
        clean(cache->find(line));
    clean(l2_.find(line));
    if (dirty)
        write_memory(core, line, time, counters);
}

} // namespace twin::a53
