#include "timing/a53/pipeline.h"

#include <algorithm>

namespace twin::a53 {

Time Pipeline::ready(const Instruction &it, Time earliest) const {
    Time at = earliest;
    for (unsigned i = 0; i < it.sources; ++i) {
        const auto &source = registers_[it.source[i].reg];
        switch (it.source[i].need) {
        case Need::stored: // may be there a cycle after the issue
            at = std::max(at + cycle_, source.late) - cycle_;
            break;
        case Need::late:
            at = std::max(at, source.late);
            break;
        case Need::early:
            at = std::max(at, source.late + cycle_);
            break;
        case Need::address:
            at = std::max(at, source.address);
            break;
        }
    }
    if (it.units & unit_memory)
        at = std::max(at, memory_free_);
    if (it.units & unit_divide)
        at = std::max(at, divider_free_);
    // Beside what issued last, if there is room.
    bool beside = slots_ + it.slots <= 2 && !(units_ & it.units);
    if (at < last_ + cycle_ && !beside)
        at = last_ + cycle_;
    return at;
}

void Pipeline::issue(const Instruction &it, Time at) {
    if (at >= last_ + cycle_) {
        last_ = at;
        slots_ = 0;
        units_ = 0;
    }
    slots_ += it.slots;
    units_ |= it.units;
    if (it.holds_memory_unit)
        memory_free_ = at + 2 * cycle_;

    Register result;
    switch (it.result) {
    case Result::move:
        result = {at, at + 2 * cycle_};
        break;
    case Result::alu:
        result = {at + cycle_, at + 3 * cycle_};
        break;
    case Result::load:
        result = {at + 2 * cycle_, at + 3 * cycle_};
        break;
    case Result::divide_w:
    case Result::divide_x: {
        auto cycles = it.result == Result::divide_w ? parameters_.divide_w : parameters_.divide_x;
        divider_free_ = at + cycles * cycle_;
        result = {at + cycles * cycle_, at + (cycles + 1) * cycle_};
        break;
    }
    }
    for (unsigned i = 0; i < it.targets; ++i)
        registers_[it.target[i]] = result;
    if (it.writeback != reg_none)
        registers_[it.writeback] = {at + cycle_, at + cycle_}; // from the address adder
    if (it.sets_flags)
        registers_[reg_flags] = {at + cycle_, at + cycle_};
}

void Pipeline::deliver(std::uint8_t reg, Time at) { registers_[reg] = {at, at + cycle_}; }

} // namespace twin::a53
