#include "timing/a53/model.h"

#include "core/stop.h"

#include <algorithm>

namespace twin::a53 {

namespace {

constexpr std::uint64_t page_bytes = 4096;

constexpr a64::SystemRegister sctlr_el3{3, 6, 1, 0, 0};
constexpr a64::SystemRegister ttbr0_el3{3, 6, 2, 0, 0};
constexpr a64::SystemRegister tcr_el3{3, 6, 2, 0, 2};
constexpr a64::SystemRegister mair_el3{3, 6, 10, 2, 0};

unsigned sets(Time kilobytes, Time ways) {
    return static_cast<unsigned>(kilobytes * 1024 / line_bytes / ways);
}

// Kinds that follow() asks the predictor about.
bool is_branch(Kind kind) { return kind >= Kind::branch && kind <= Kind::eret; }

} // namespace

Apu::Apu(const Parameters &parameters, const Memory &memory)
    : parameters(parameters), memory(memory), cluster(this->parameters) {}

std::unique_ptr<a64::Timing> Apu::core(unsigned number) {
    return std::make_unique<Model>(number, *this);
}

Model::Model(unsigned number, Apu &apu)
    : number_(number), apu_(apu), parameters_(apu.parameters), cluster_(apu.cluster),
      cycle_(apu.parameters.place.cycle), decoded_(apu.memory), pipeline_(parameters_),
      branches_(parameters_, Random(0xB0 + number)),
      l1i_(sets(parameters_.l1i_size, parameters_.l1i_ways),
           static_cast<unsigned>(parameters_.l1i_ways), Random(0x10 + number)),
      l1d_(sets(parameters_.l1d_size, parameters_.l1d_ways),
           static_cast<unsigned>(parameters_.l1d_ways), Random(0xD0 + number)),
      tlb_(number, parameters_, apu.memory, apu.cluster, Random(0x70 + number)),
      stores_(parameters_), streaming_(parameters_), prefetcher_(parameters_),
      fills_(parameters_.fills), uncached_loads_(parameters_.uncached_loads) {
    apu.cores.push_back(this);
    cluster_.attach(l1d_);
}

void Model::set_cycle(Time cycle) {
    cycle_ = cycle;
    pipeline_.set_cycle(cycle);
    tlb_.set_cycle(cycle);
    cluster_.set_cycle(cycle);
}

void Model::write_register(a64::SystemRegister reg, std::uint64_t value) {
    if (reg == sctlr_el3) {
        regime_.mmu = value & 1;
        regime_.data_cached = value >> 2 & 1;
        regime_.instructions_cached = value >> 12 & 1;
        fetched_ = none;
    } else if (reg == ttbr0_el3) {
        regime_.ttbr = value;
    } else if (reg == tcr_el3) {
        regime_.tcr = value;
    } else if (reg == mair_el3) {
        regime_.mair = value;
    }
}

// ---- instructions --------------------------------------------------------------------------

// The instruction before this one decided where to go on: what that cost.
void Model::follow(std::uint64_t pc) {
    if (!current_ || !is_branch(current_->kind))
        return;
    ++counters_.branches;
    Time lost = 0;
    if (!regime_.mmu) { // prediction needs the MMU
        if (pc != pc_ + 4)
            lost = parameters_.mispredict;
    } else {
        switch (branches_.resolve(current_->kind, pc_, pc)) {
        case Branches::Outcome::straight:
            return;
        case Branches::Outcome::hot:
            lost = 1; // it issues in the next cycle, never beside the branch
            break;
        case Branches::Outcome::taken:
            lost = 1 + parameters_.taken_bubble;
            break;
        case Branches::Outcome::mispredicted:
            ++counters_.mispredicts;
            lost = parameters_.mispredict;
            break;
        case Branches::Outcome::unpredicted:
            lost = parameters_.eret;
            break;
        }
    }
    Time target = issued_ + lost * cycle_;
    if (target > fetch_time_) {
        counters_.branch_stalls += target - std::max(fetch_time_, issued_);
        fetch_time_ = target;
    }
}

// Brings the line or piece of memory that `pc` is in.
void Model::fetch(std::uint64_t pc) {
    bool straight = pc == pc_ + 4 && !after_flush_;
    bool cached = regime_.instructions_cached;
    std::uint64_t piece = none - 1 - pc / parameters_.fetch_bytes; // never a line's number
    // Uncached, a branch is a fetch of its own, wherever it goes.
    if (cached ? fetched_ == line_of(pc) : straight && fetched_ == piece)
        return;

    Time asked = std::max(fetch_time_, next_);
    Time there = asked;
    if (regime_.mmu) {
        auto [page, known] = tlb_.translate(pc, true, asked, regime_, counters_);
        if (!page || page->to != page->base)
            stop_engine("instruction fetch at " + hex(pc) + ", which is not mapped to itself");
        counters_.tlb_stalls += known - asked;
        asked = there = known;
        if (cached && page->attribute == Attribute::uncached && parameters_.fetch_holds) {
            fetch_time_ = fetch_held(pc, asked);
            return;
        }
        if (cached && page->attribute != Attribute::write_back) {
            cached = false;
            if (straight && fetched_ == piece)
                return;
        }
    }
    fetched_ = cached ? line_of(pc) : piece;
    if (!cached) {
        ++counters_.uncached_fetches;
        auto bytes = static_cast<unsigned>(parameters_.fetch_bytes);
        there = cluster_.read_uncached(number_, pc, asked, bytes, counters_);
        if (straight)
            there = asked + (there - asked) * 100 / parameters_.fetch_overlap;
    } else if (auto *line = l1i_.find(line_of(pc))) {
        ++counters_.l1i_hits;
        there = std::max(asked, line->ready);
    } else {
        ++counters_.l1i_misses;
        there = cluster_.read_instructions(number_, line_of(pc), asked, counters_);
        if (straight)
            there = asked + (there - asked) * (100 - parameters_.l1i_hidden) / 100;
        l1i_.fill(line_of(pc), there, false, true);
    }
    counters_.fetch_stalls += there - asked;
    fetch_time_ = there;
}

// The same from a page that is not cacheable, whose instructions L1I may hold all the same.
Time Model::fetch_held(std::uint64_t pc, Time asked) {
    fetched_ = line_of(pc);
    Time there = asked;
    if (auto *line = l1i_.find(line_of(pc))) {
        ++counters_.l1i_hits;
        there = std::max(asked, line->ready);
    } else {
        ++counters_.l1i_misses;
        there = cluster_.read_uncached(number_, pc & ~std::uint64_t{line_bytes - 1}, asked,
                                       line_bytes, counters_);
        l1i_.fill(line_of(pc), there, false, true);
    }
    counters_.fetch_stalls += there - asked;
    return there;
}

Time Model::prepare(std::uint64_t pc, Time earliest) {
    next_ = std::max(next_, earliest);
    if (!after_flush_)
        follow(pc);
    fetch(pc);
    current_ = &decoded_.at(pc);
    pc_ = pc;
    after_flush_ = false;
    Time there = std::max(next_, fetch_time_);
    Time at = pipeline_.ready(*current_, there);
    if (at > there + cycle_)
        counters_.operand_stalls += at - there - cycle_;
    // Everything that is under way ends before a DSB does; PSTATE and the like wait for nothing.
    if (current_->kind == Kind::barrier_data) {
        Time quiet = std::max({stores_.empty(), maintained_, loaded_});
        if (quiet > at) {
            counters_.barrier_stalls += quiet - at;
            at = quiet;
        }
    }
    // A time from a memory falls between two cycles.
    return (at + cycle_ - 1) / cycle_ * cycle_;
}

Time Model::commit(Time at) {
    issued_ = at;
    accesses_ = 0;
    pipeline_.issue(*current_, at);
    next_ = at;
    switch (current_->kind) {
    case Kind::system_access:
        next_ = at + parameters_.system_register * cycle_;
        break;
    case Kind::barrier_data:
        next_ = at + parameters_.dsb * cycle_;
        break;
    case Kind::barrier_fetch:
        next_ = at + parameters_.isb * cycle_;
        break;
    case Kind::maintenance:
        maintain(at);
        break;
    default:
        break;
    }
    return next_;
}

void Model::flush(Time at) {
    next_ = fetch_time_ = at;
    after_flush_ = true;
    fetched_ = none;
    branches_.forget_history();
}

// ---- data ----------------------------------------------------------------------------------

Time Model::access() {
    const auto &memory = current_->memory;
    if (memory.count == 0)
        return next_;
    auto address = memory.address(pc_, general_register_);
    for (unsigned i = 0; i < memory.count; ++i)
        access(address + i * memory.size, memory.size, memory.store);
    return next_;
}

void Model::access(std::uint64_t address, unsigned size, bool store_it) {
    // The second register of a pair. Those of vectors arrive here in halves.
    Time at = issued_ + (current_->vector ? accesses_ / 2 : accesses_) * cycle_;
    Attribute attribute = Attribute::device;
    if (regime_.mmu) {
        auto [page, known] = tlb_.translate(address, false, at, regime_, counters_);
        if (!page)
            return; // a data abort follows
        if (known > at) {
            counters_.tlb_stalls += known - at;
            next_ = std::max(next_, known);
            pipeline_.hold_memory_unit(known);
            at = known;
        }
        attribute = page->attribute;
        address = page->physical(address);
    }
    bool cached = attribute == Attribute::write_back && regime_.data_cached;
    if (!apu_.memory.at(address, size)) {
        // A device: the core sees to the rest.
    } else if (cached) {
        store_it ? store(address, size, at) : load(address, at);
    } else if (store_it) {
        ++counters_.uncached_stores;
        if (!stores_.merges(address, at)) {
            Time room = stores_.room(at);
            counters_.store_stalls += room - at;
            next_ = std::max(next_, room);
            Time taken = cluster_.write_uncached(number_, address, room, StoreBuffer::chunk_bytes,
                                                 counters_);
            stores_.push(address, taken, parameters_.store_uncached);
        }
    } else if (accesses_ == 0 || address % line_bytes == 0) { // one burst, in one line
        ++counters_.uncached_loads;
        auto &slot = uncached_loads_[next_uncached_];
        next_uncached_ = (next_uncached_ + 1) % uncached_loads_.size();
        slot = cluster_.read_uncached(number_, address, std::max(at, slot),
                                      StoreBuffer::chunk_bytes, counters_);
        deliver(slot);
    } else { // came with what is before it
        deliver(uncached_loads_[(next_uncached_ + uncached_loads_.size() - 1) %
                                uncached_loads_.size()]);
    }
    ++accesses_;
}

// The current load's data is there for an address at `at`.
void Model::deliver(Time at) {
    loaded_ = std::max(loaded_, at);
    if (accesses_ < current_->targets)
        pipeline_.deliver(current_->target[accesses_], at - cycle_);
}

// A line that L1 has not, read into it. Returns when the word asked for is there.
Time Model::fill(LineNumber line, Time at, bool own) {
    auto &slot = fills_[next_fill_];
    next_fill_ = (next_fill_ + 1) % fills_.size();
    Time begin = std::max(at, slot);
    if (begin > at && !own) // the load waits, and what is behind it; a store waits in its buffer
        pipeline_.hold_memory_unit(begin);
    auto answer = cluster_.read_data(number_, line, begin, own, counters_);
    slot = answer.complete;
    auto victim = l1d_.fill(line, answer.complete, own, answer.shared);
    if (Time wait = victim ? cluster_.evict(number_, *victim, begin, counters_) : 0)
        next_ = std::max(next_, at + wait);
    return answer.ready;
}

void Model::run_ahead(LineNumber line, Time at) {
    unsigned depth = prefetcher_.miss(line);
    std::int64_t stride = prefetcher_.stride();
    for (unsigned i = 1; i <= depth; ++i) {
        LineNumber ahead = line + static_cast<LineNumber>(stride * static_cast<std::int64_t>(i));
        // Not past a page, whose translation it does not know.
        if (ahead / line_of(page_bytes) != line / line_of(page_bytes))
            return;
        if (l1d_.find(ahead))
            continue;
        if (fills_[next_fill_] > at)
            return; // loads come first
        ++counters_.prefetches;
        fill(ahead, at, false);
    }
}

void Model::load(std::uint64_t address, Time at) {
    LineNumber line = line_of(address);
    if (auto broken = streaming_.load(line); broken && !l1d_.find(*broken))
        fill(*broken, at, true);
    if (auto *found = l1d_.find(line)) {
        ++counters_.l1d_hits;
        if (found->ready) { // its first use, or still on its way
            if (found->ready > at)
                deliver(std::max(found->ready, at + 3 * cycle_));
            else
                found->ready = 0;
            run_ahead(line, at);
        }
        return;
    }
    ++counters_.l1d_misses;
    deliver(fill(line, at, false));
    run_ahead(line, at);
}

void Model::store(std::uint64_t address, unsigned size, Time at) {
    LineNumber line = line_of(address);
    if (stores_.merges(address, at)) {
        streaming_.store(address, size, true);
        return;
    }
    Time room = stores_.room(at);
    counters_.store_stalls += room - at;
    next_ = std::max(next_, room);

    auto *found = l1d_.find(line);
    auto step = streaming_.store(address, size, found);
    Time possible = room;
    if (step.whole)
        possible +=
            cluster_.write_line(number_, *step.whole, room, streaming_.past_l2(), counters_);
    if (step.broken && !l1d_.find(*step.broken)) {
        possible = std::max(possible, fill(*step.broken, room, true));
        found = l1d_.find(line); // the victim may have been this line
    }
    if (found) {
        ++counters_.l1d_hits;
        if (found->shared)
            cluster_.claim(number_, line);
        found->shared = false;
        found->dirty = true;
        possible = std::max(possible, found->ready);
    } else if (!step.streams) {
        ++counters_.l1d_misses;
        possible = std::max(possible, fill(line, room, true));
    }
    stores_.push(address, possible, cycle_);
}

// ---- maintenance ---------------------------------------------------------------------------

void Model::maintain_set_way(unsigned op, std::uint64_t operand, Time at) {
    ++counters_.set_way;
    bool second = (operand >> 1 & 7) == 1;
    // The way stands in the top bits of the low word.
    auto way_of = [operand](unsigned ways) {
        unsigned bits = static_cast<unsigned>(__builtin_ctz(ways));
        return static_cast<unsigned>(operand & 0xFFFF'FFFF) >> (32 - bits);
    };
    auto set = static_cast<unsigned>(operand >> 6);
    Time cost = (second ? parameters_.l2_set_way : parameters_.l1_set_way) * cycle_;
    bool clean = op != 6, invalidate = op != 10;
    Time wait = 0;
    if (second) {
        auto way = way_of(static_cast<unsigned>(parameters_.l2_ways));
        set &= sets(parameters_.l2_size, parameters_.l2_ways) - 1;
        wait = cluster_.maintain_l2(number_, set, way, clean, invalidate, at, counters_);
    } else {
        auto way = way_of(static_cast<unsigned>(parameters_.l1d_ways));
        auto *line = l1d_.at(set & (l1d_.sets() - 1), way);
        if (line && line->valid()) {
            if (clean && line->dirty)
                wait = cluster_.evict(number_, *line, at, counters_);
            line->dirty = false;
            if (invalidate)
                *line = Cache::Line{};
        }
    }
    pipeline_.hold_memory_unit(at + cost + wait);
    maintained_ = std::max(maintained_, at + cost + wait);
}

void Model::maintain(Time at) {
    auto opcode = current_->opcode;
    unsigned op1 = opcode >> 16 & 7, crn = opcode >> 12 & 15, crm = opcode >> 8 & 15;
    unsigned op2 = opcode >> 5 & 7, index = opcode & 31;
    std::uint64_t operand = index == 31 ? 0 : general_register_(index);
    if (crn == 8) { // TLBI; inner shareable: CRm 3
        ++counters_.maintenance;
        bool shared = crm == 3;
        bool one = op2 == 1 || op2 == 5; // VAE<n>, VALE<n>
        maintained_ = std::max(maintained_, at) +
                      (shared ? parameters_.tlbi_shared : parameters_.tlbi_local) * cycle_;
        for (auto *core : apu_.cores) {
            if (core != this && !shared)
                continue;
            one ? core->drop_translation(operand << 12) : core->drop_translations();
        }
        return;
    }
    if (crn != 7)
        return;                                             // not a memory operation
    if ((crm == 6 || crm == 10 || crm == 14) && op2 == 2) { // DC ISW, CSW, CISW
        maintain_set_way(crm, operand, at);
        return;
    }
    ++counters_.maintenance;
    if (op1 == 0 && (crm == 5 || crm == 1)) { // IC IALLU, IALLUIS
        maintained_ = std::max(maintained_, at) + parameters_.ic_all * cycle_;
        for (auto *core : apu_.cores)
            if (core == this || crm == 1)
                core->drop_instructions();
        return;
    }
    maintained_ = std::max({maintained_, at, stores_.empty()}) + parameters_.by_address * cycle_;
    LineNumber line = line_of(operand);
    if (op1 == 3 && crm == 5) { // IC IVAU
        for (auto *core : apu_.cores)
            core->drop_instructions(line);
    } else if (crm == 10 || crm == 11) { // DC CVAC, CVAU
        cluster_.write_back(number_, line, at, counters_);
    } else { // DC CIVAC, IVAC
        cluster_.flush_everywhere(number_, line, at, counters_);
    }
}

} // namespace twin::a53
