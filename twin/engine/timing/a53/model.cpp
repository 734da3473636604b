#include "timing/a53/model.h"

#include "core/stop.h"

#include <algorithm>

namespace twin::a53 {

namespace {

constexpr unsigned asid_at = 48; // in TTBR0_EL1 and TTBR1_EL1

// Kinds that follow() asks the predictor about.
bool is_branch(Kind kind) { return kind >= Kind::branch && kind <= Kind::eret; }

} // namespace

Cluster::Cluster(const Parameters &parameters, const Memory &memory)
    : parameters(parameters), memory(memory), memories(this->parameters) {}

std::unique_ptr<a64::Timing> Cluster::core(unsigned number) {
    return std::make_unique<Model>(number, *this);
}

Model::Model(unsigned number, Cluster &cluster)
    : number_(number), cluster_(cluster), parameters_(cluster.parameters),
      memories_(cluster.memories), cycle_(cluster.parameters.place.cycle), decoded_(cluster.memory),
      pipeline_(parameters_), branches_(parameters_, Random(0xB0 + number)),
      l1i_(parameters_.l1i_size, parameters_.l1i_ways, Random(0x10 + number)),
      l1d_(parameters_.l1d_size, parameters_.l1d_ways, Random(0xD0 + number)),
      tlb_(number, parameters_, cluster.memory, cluster.memories, Random(0x70 + number)),
      stores_(parameters_), streaming_(parameters_), prefetcher_(parameters_),
      fills_(parameters_.fills), uncached_loads_(parameters_.uncached_loads) {
    cluster.cores.push_back(this);
    memories_.attach(l1d_);
}

void Model::set_cycle(Time cycle) {
    cycle_ = cycle;
    pipeline_.set_cycle(cycle);
    tlb_.set_cycle(cycle);
    memories_.set_cycle(cycle);
}

void Model::write_register(a64::SystemRegister reg, std::uint64_t value) {
    for (auto &regime : regimes_) {
        auto before = regime;
        if (!regime.write(reg, value))
            continue;
        if (regime.sctlr != before.sctlr || reg == a64::of_level(regime.level, 1, 0, 0))
            fetched_ = none;
        // Entries have no ASID here: another one begins with none.
        auto changes = [](std::uint64_t from, std::uint64_t to) { return (from ^ to) >> asid_at; };
        if (changes(before.ttbr0, regime.ttbr0) || changes(before.ttbr1, regime.ttbr1))
            tlb_.clear();
    }
}

// After what may change it.
void Model::look_at_level() {
    auto *regime = &regimes_[std::max(level_(), 1u) - 1];
    if (regime == regime_)
        return;
    regime_ = regime;
    fetched_ = none;
}

// The instruction before this one decided where to go on: what that cost.
void Model::follow(std::uint64_t pc) {
    if (!current_ || !is_branch(current_->kind))
        return;
    ++counters_.branches;
    Time lost = 0;
    if (!regime_->on()) { // prediction needs the MMU
        if (pc != pc_ + 4)
            lost = parameters_.mispredict;
    } else {
        switch (branches_.resolve(current_->kind, pc_, pc)) {
        case Branches::Outcome::straight:
            return;
        case Branches::Outcome::hot:
            lost = 1; // it issues in the next cycle, never with the branch
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
    bool cached = regime_->instructions_cached();
    std::uint64_t piece = none - 1 - pc / parameters_.fetch_bytes; // never a line's number
    // Uncached, a branch is a fetch of its own, wherever it goes.
    if (cached ? fetched_ == line_of(pc) : straight && fetched_ == piece)
        return;

    Time asked = std::max(fetch_time_, next_);
    Time there = asked;
    moved_ = 0;
    if (regime_->on()) {
        auto [page, known] = tlb_.translate(pc, true, asked, *regime_, counters_);
        if (!page)
            stop_engine("instruction fetch at " + hex(pc) + ", which is not mapped");
        moved_ = page->physical(pc) - pc;
        counters_.tlb_stalls += known - asked;
        asked = there = known;
        if (cached && page->attribute == Attribute::uncached && parameters_.fetch_holds) {
            fetched_ = line_of(pc);
            fetch_time_ = fetch_held(pc + moved_, asked);
            return;
        }
        if (cached && page->attribute != Attribute::write_back) {
            cached = false;
            if (straight && fetched_ == piece)
                return;
        }
    }
    fetched_ = cached ? line_of(pc) : piece;
    std::uint64_t physical = pc + moved_;
    if (!cached) {
        ++counters_.uncached_fetches;
        auto bytes = static_cast<unsigned>(parameters_.fetch_bytes);
        there = memories_.read_uncached(number_, physical, asked, bytes, counters_);
        if (straight)
            there = asked + (there - asked) * 100 / parameters_.fetch_overlap;
    } else if (auto *line = l1i_.find(line_of(physical))) {
        ++counters_.l1i_hits;
        there = std::max(asked, line->ready);
    } else {
        ++counters_.l1i_misses;
        there = memories_.read_instructions(number_, line_of(physical), asked, counters_);
        if (straight)
            there = asked + (there - asked) * (100 - parameters_.l1i_hidden) / 100;
        l1i_.fill(line_of(physical), there, false, true);
    }
    counters_.fetch_stalls += there - asked;
    fetch_time_ = there;
}

// Fetches from a page that is not cacheable, whose instructions L1I may nevertheless hold.
Time Model::fetch_held(std::uint64_t physical, Time asked) {
    Time there = asked;
    if (auto *line = l1i_.find(line_of(physical))) {
        ++counters_.l1i_hits;
        there = std::max(asked, line->ready);
    } else {
        ++counters_.l1i_misses;
        there = memories_.read_uncached(number_, physical & ~std::uint64_t{line_bytes - 1}, asked,
                                        line_bytes, counters_);
        l1i_.fill(line_of(physical), there, false, true);
    }
    counters_.fetch_stalls += there - asked;
    return there;
}

Time Model::prepare(std::uint64_t pc, Time earliest) {
    next_ = std::max(next_, earliest);
    if (after_flush_ || current_->kind == Kind::eret)
        look_at_level();
    if (!after_flush_)
        follow(pc);
    fetch(pc);
    current_ = &decoded_.at(pc + moved_);
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

} // namespace twin::a53
