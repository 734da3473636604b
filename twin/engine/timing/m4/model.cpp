#include "timing/m4/model.h"

#include <algorithm>
#include <utility>

namespace twin::m4 {

namespace {

using thumb::Kind;

// Accesses pipeline within one of these: code, SRAM, devices.
std::uint32_t block_of(std::uint32_t address) { return address >> 28; }

} // namespace

Model::Model(const Parameters &parameters, Layout layout)
    : parameters_(parameters), layout_(std::move(layout)),
      flash_(parameters.instruction_lines, parameters.data_lines) {}

bool Model::in_flash(std::uint32_t address) const {
    return std::any_of(layout_.flash.begin(), layout_.flash.end(),
                       [address](const auto &range) { return address - range.base < range.size; });
}

std::uint64_t Model::fetch(std::uint32_t pc, unsigned size, std::uint64_t cycle) {
    // A refill brings one word: the second half of an instruction across two comes later.
    if (std::exchange(refills_, false) && size == 4 && pc % 4 == 2)
        cycle += parameters_.refill_unaligned;
    if (!in_flash(pc))
        return cycle;
    cycle = flash_.fetch(pc, cycle);
    return size == 4 && pc % 16 == 14 ? flash_.fetch(pc + 2, cycle) : cycle;
}

void Model::begin(const thumb::Instruction &it, std::uint32_t pc, bool executes,
                  std::uint64_t cycle) {
    it_ = it;
    pc_ = pc;
    executes_ = executes;
    began_ = cycle;
    extra_ = 0;
    accesses_ = 0;
}

// What an access waits for, from its address on.
std::uint64_t Model::waits(std::uint32_t address, bool store, std::uint64_t cycle) {
    if (!store && in_flash(address))
        return flash_.read(address, cycle) - cycle;
    for (const auto &bridge : layout_.bridges)
        if (address - bridge.range.base < bridge.range.size)
            return store ? bridge.ratio * parameters_.bridge_write_halves / 2
                         : parameters_.bridge_read + bridge.ratio * parameters_.bridge_read_ratio;
    return 0;
}

std::uint64_t Model::access(std::uint32_t address, unsigned, bool store) {
    std::uint64_t at = began_ + accesses_++ + extra_;
    extra_ += waits(address, store, at);
    block_ = block_of(address);
    return began_ + accesses_ + extra_;
}

std::uint64_t Model::base_cost() const {
    switch (it_.kind) {
    case Kind::load:
    case Kind::store:
    case Kind::ret:
    case Kind::branch_to:
    case Kind::table_branch:
        break;
    case Kind::if_then:
        return before_narrow_ ? 0 : 1;
    case Kind::divide:
        return parameters_.divide;
    case Kind::status:
        return it_.size == 4 ? parameters_.status : 1; // else CPS
    case Kind::barrier_fetch:
        return 1 + parameters_.barrier_fetch;
    case Kind::floating_multiply_add:
        return parameters_.floating_multiply_add;
    case Kind::floating_divide:
        return parameters_.floating_divide;
    default:
        return 1;
    }
    if (it_.base == 16)
        return 1; // a branch without an access
    if (it_.multiple)
        return parameters_.multiple + it_.words;
    if (it_.words > 1)
        return 1 + it_.words;
    if (it_.kind == Kind::store && before_pipelines_ && before_block_ == block_ && !it_.indexed)
        return parameters_.store_after_load;
    if (it_.kind == Kind::store)
        return it_.indexed ? parameters_.store_indexed : parameters_.store;
    std::uint64_t cost = parameters_.load;
    if (before_pipelines_ && before_block_ == block_)
        cost = parameters_.load_next;
    if (before_ == Kind::store)
        cost += parameters_.load_after_store;
    if (it_.address & before_results_)
        cost += parameters_.address;
    return cost;
}

std::uint64_t Model::end(std::uint32_t next) {
    bool branches = next != pc_ + it_.size && next < 0xF0000000;
    std::uint64_t cost = executes_ ? base_cost() + extra_ : 1;
    if (branches)
        cost += parameters_.refill;
    before_ = executes_ ? it_.kind : Kind::plain;
    before_pipelines_ = executes_ && it_.kind == Kind::load && !it_.multiple && it_.words == 1;
    before_narrow_ = it_.size == 2 && !branches;
    before_block_ = block_;
    before_results_ = executes_ ? it_.results | it_.loaded : 0;
    if (branches)
        forget();
    refills_ = branches;
    return began_ + cost;
}

// The pipeline begins again.
void Model::forget() {
    before_ = Kind::plain;
    before_pipelines_ = before_narrow_ = false;
    before_results_ = 0;
}

// The vector is read, then the handler's first instructions: when these can execute.
std::uint64_t Model::start_handler(std::uint64_t cycle, std::uint32_t vector,
                                   std::uint32_t handler) {
    if (in_flash(vector))
        cycle = flash_.fetch(vector, cycle);
    cycle += parameters_.handler;
    if (in_flash(handler))
        cycle = flash_.fetch(handler, cycle);
    forget();
    return cycle;
}

std::uint64_t Model::enter(std::uint64_t cycle, std::uint32_t stack, unsigned words,
                           std::uint32_t vector, std::uint32_t handler) {
    std::uint64_t stacked = cycle + parameters_.entry + words - 8;
    for (unsigned n = 0; n < words; ++n)
        stacked += waits(stack + 4 * n, true, cycle);
    std::uint64_t there = start_handler(cycle + parameters_.vector, vector, handler);
    return std::max(stacked, there);
}

std::uint64_t Model::chain(std::uint64_t cycle, std::uint32_t vector, std::uint32_t handler) {
    return std::max(cycle + parameters_.chain, start_handler(cycle + 1, vector, handler));
}

std::uint64_t Model::late(std::uint64_t began, std::uint64_t cycle, std::uint32_t vector,
                          std::uint32_t handler) {
    std::uint64_t there = start_handler(cycle + 1, vector, handler);
    return std::max({began + parameters_.entry, cycle + parameters_.chain, there});
}

std::uint64_t Model::leave(std::uint64_t cycle, std::uint32_t stack, unsigned words,
                           std::uint32_t pc) {
    std::uint64_t done = cycle + parameters_.leave + words - 8;
    for (unsigned n = 0; n < words; ++n)
        done += waits(stack + 4 * n, false, cycle);
    std::uint64_t there = cycle;
    if (in_flash(pc))
        there = flash_.fetch(pc, cycle + parameters_.return_fetch);
    forget();
    return std::max(done, there);
}

std::uint64_t Model::save_lazily(std::uint64_t cycle, unsigned words) { return cycle + words + 1; }

std::uint64_t Model::wake(std::uint64_t cycle) { return cycle + parameters_.wake; }

void Model::write_stats(std::ostream &out) const {
    out << "{\"instruction_misses\": " << flash_.instruction_misses()
        << ", \"data_misses\": " << flash_.data_misses() << "}";
}

} // namespace twin::m4
