#include "timing/a9/model.h"

#include <algorithm>
#include <bit>

namespace twin::a9 {

namespace {

// Pieces of memory fetched past the caches are numbered from here on; lines stay far below.
constexpr std::uint64_t first_piece = std::uint64_t{1} << 40;
constexpr bool is_piece(std::uint64_t fetched) { return fetched >= first_piece; }

} // namespace

std::unique_ptr<a32::Timing> Cluster::core(unsigned number) {
    return std::make_unique<Model>(number, *this);
}

Model::Model(unsigned number, Cluster &cluster)
    : number_(number), cluster_(cluster), parameters_(cluster.parameters),
      memories_(cluster.memories), cycle_(parameters_.place.cycle), decoded_(cluster.memory),
      decoded_thumb_(cluster.memory), branches_(parameters_),
      l1i_(parameters_.l1_size, parameters_.l1_ways, Cache::Victim::random),
      l1d_(parameters_.l1_size, parameters_.l1_ways, Cache::Victim::random),
      tlb_(number, parameters_, cluster.memory, cluster.memories), window_(parameters_.window),
      fills_(parameters_.data_fills), stores_(parameters_.store_entries) {
    cluster.cores.push_back(this);
    memories_.attach(l1d_);
}

// The instruction before this one decided where to go on: what that cost.
void Model::follow(std::uint64_t pc) {
    if (!current_ || !is_branch(current_->kind))
        return;
    ++branches_seen_;
    constexpr unsigned counter = 15;
    Time resolved = current_->loaded >> counter & 1 ? ready_[counter] : executed_;
    Time lost = 0;
    if (current_->kind == Kind::exception_return && pc != straight())
        lost = parameters_.exception_return;
    else if (!branches_.predicts(*current_, pc_, pc))
        lost = parameters_.mispredict;
    if (lost) {
        ++mispredicts_;
        fetch_time_ = std::max(fetch_time_, resolved + lost);
        // The wrong path also fetched: past the caches the right one waits for it.
        if (parameters_.fetch_wasted && is_piece(fetched_))
            memories_.uncached(number_, pc + moved_, issued_ + cycle_);
    } else if (pc != straight()) {
        fetch_time_ = std::max(fetch_time_, issued_ + cycle_); // never with the branch
    }
}

// Brings the line or piece of memory that `pc` is in.
void Model::fetch(std::uint64_t pc) {
    bool goes_on = pc == straight() && !after_flush_;
    std::uint64_t piece = first_piece + pc / parameters_.fetch_bytes; // never a line's number
    // Uncached, a branch is a fetch of its own, wherever it goes.
    if (fetched_ == line_of(pc) || (goes_on && fetched_ == piece))
        return;
    Time asked = std::max(fetch_time_, next_);
    bool cached = regime_.instructions_cached(), outer = true;
    moved_ = 0;
    if (regime_.on()) {
        auto [page, known] = tlb_.translate(pc, true, asked, regime_);
        asked = known;
        moved_ = page->physical(pc) - pc;
        cached = cached && page->inner;
        outer = page->outer;
    }
    fetch_time_ = asked;
    if (!cached) {
        ++uncached_fetches_;
        fetched_ = piece;
        fetch_time_ = memories_.uncached(number_, pc + moved_, asked);
        return;
    }
    fetched_ = line_of(pc);
    LineNumber physical = line_of(pc + moved_);
    if (auto *line = l1i_.find(physical)) {
        fetch_time_ = std::max(asked, line->ready);
        return;
    }
    ++l1i_misses_;
    fetch_time_ = memories_.fetch(number_, physical, outer, asked);
    l1i_.fill(physical, fetch_time_, false);
}

// When the operands are there; those of an address and of a shift are wanted earlier.
Time Model::operands(const Instruction &it) const {
    Time at = 0;
    auto latest = [&](std::uint32_t registers, Time early) {
        for (auto rest = registers & 0x3'7FFF; rest; rest &= rest - 1) // PC is always there
            if (Time ready = ready_[static_cast<unsigned>(std::countr_zero(rest))])
                at = std::max(at, ready + early);
    };
    latest(it.sources, it.shifts ? parameters_.shifted : 0);
    latest(it.address, parameters_.address);
    return at;
}

// Judged by the register of the address alone: whoever asks needs no more.
bool Model::is_device(const Instruction &it) const {
    return it.base < 15 && !cluster_.memory.at(general_register_(it.base), 4);
}

Time Model::prepare(std::uint64_t pc, Time earliest) {
    next_ = std::max(next_, earliest);
    if (!after_flush_)
        follow(pc);
    fetch(pc);
    current_ = thumb_ ? &decoded_thumb_.at(pc + moved_) : &decoded_.at(pc + moved_);
    pc_ = pc;
    after_flush_ = false;
    // It may issue before its operands are there, but no more than so many are under way.
    Time at = std::max({next_, fetch_time_, window_[oldest_]});
    if (Time wanted = operands(*current_); wanted > at) {
        bool waits = current_->kind == Kind::coprocessor || current_->kind == Kind::status;
        bool memory = current_->kind == Kind::load || current_->kind == Kind::store;
        if (waits || (memory && is_device(*current_)))
            at = wanted;
    }
    if (current_->kind == Kind::barrier_data || current_->kind == Kind::barrier_fetch)
        at = std::max(at, quiet_);
    // A time from a memory falls between two cycles.
    return (at + cycle_ - 1) / cycle_ * cycle_;
}

// The current instruction is complete at `at`: it leaves the window then.
void Model::complete(Time at) {
    window_[oldest_] = at;
    oldest_ = (oldest_ + 1) % window_.size();
}

Time Model::commit(Time at) {
    in_cycle_ = at == issued_ ? in_cycle_ + 1 : 1;
    issued_ = at;
    accesses_ = 0;
    executed_ = std::max(at, operands(*current_));
    Time takes = cycle_;
    next_ = at + (in_cycle_ >= parameters_.width ? cycle_ : 0);
    switch (current_->kind) {
    case Kind::multiply:
        takes = parameters_.multiply;
        break;
    case Kind::status:
        next_ = at + parameters_.status;
        break;
    case Kind::coprocessor:
        next_ = at + parameters_.coprocessor;
        takes = parameters_.coprocessor;
        break;
    case Kind::barrier_data:
        next_ = at + parameters_.dsb;
        break;
    case Kind::if_then: // what depends on it may issue with it
        takes = 0;
        break;
    case Kind::barrier_fetch:
        next_ = at + parameters_.isb;
        fetched_ = none;
        break;
    default:
        break;
    }
    for (auto rest = current_->results; rest; rest &= rest - 1)
        ready_[static_cast<unsigned>(std::countr_zero(rest))] = executed_ + takes;
    for (auto rest = current_->loaded; rest; rest &= rest - 1) // until access() knows better
        ready_[static_cast<unsigned>(std::countr_zero(rest))] = executed_ + parameters_.load;
    complete(executed_ + takes);
    return next_;
}

void Model::flush(Time at) {
    next_ = fetch_time_ = at;
    after_flush_ = true;
    fetched_ = none;
}

void Model::write_register(a32::CoprocessorRegister reg, std::uint32_t value) {
    if (regime_.write(reg, value)) {
        if (reg == a32::sctlr)
            fetched_ = none;
    } else if (reg == a32::tlb_lockdown) {
        tlb_.lock(value);
    } else {
        maintain(reg, value);
    }
}

void Model::write_stats(std::ostream &out) const {
    const auto &shared = memories_.counters();
    out << "{\"branches\": " << branches_seen_ << ", \"mispredicts\": " << mispredicts_
        << ", \"l1i_misses\": " << l1i_misses_ << ", \"l1d_misses\": " << l1d_misses_
        << ", \"uncached_fetches\": " << uncached_fetches_
        << ", \"uncached_loads\": " << uncached_loads_
        << ", \"micro_tlb_misses\": " << tlb_.micro_misses() << ", \"tlb_walks\": " << tlb_.walks()
        << ", \"l2_hits\": " << shared.l2_hits << ", \"l2_misses\": " << shared.l2_misses
        << ", \"ddr\": " << shared.ddr << ", \"ocm\": " << shared.ocm << "}";
}

} // namespace twin::a9
