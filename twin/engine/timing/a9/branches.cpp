#include "timing/a9/branches.h"

#include <algorithm>

namespace twin::a9 {

Branches::Branches(const Parameters &parameters)
    : history_mask_((1u << parameters.history_length) - 1), counters_(parameters.history_entries),
      targets_(parameters.target_entries) {
    clear();
}

void Branches::clear() {
    std::fill(counters_.begin(), counters_.end(), std::uint8_t{1});
    std::fill(targets_.begin(), targets_.end(), Target{});
    return_stack_ = {};
    history_ = 0;
    top_ = 0;
}

bool Branches::knows(std::uint64_t from, std::uint64_t to) {
    auto &target = targets_[from >> 2 & (targets_.size() - 1)];
    bool known = target.from == from && target.to == to;
    target = {from, to};
    return known;
}

bool Branches::predicts(const Instruction &branch, std::uint64_t from, std::uint64_t to) {
    std::uint64_t next = from + branch.size;
    bool passed_by = branch.conditional && to == next; // its condition failed
    switch (branch.kind) {
    case Kind::branch_if: {
        bool taken = to != next;
        auto &count = counters_[((from >> 2) ^ history_) & (counters_.size() - 1)];
        bool predicted = count >= 2;
        if (taken && count < 3)
            ++count;
        else if (!taken && count > 0)
            --count;
        history_ = (history_ << 1 | taken) & history_mask_;
        bool known = !taken || knows(from, to);
        return predicted == taken && known;
    }
    case Kind::ret:
        if (passed_by)
            return true;
        top_ = (top_ + returns - 1) % returns;
        return return_stack_[top_] == to;
    case Kind::call:
    case Kind::call_to:
        if (passed_by)
            return true;
        return_stack_[top_] = next;
        top_ = (top_ + 1) % returns;
        return knows(from, to);
    case Kind::exception_return:
        return false;
    default:
        return passed_by || knows(from, to);
    }
}

} // namespace twin::a9
