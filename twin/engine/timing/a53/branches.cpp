#include "timing/a53/branches.h"

namespace twin::a53 {

Branches::Branches(const Parameters &parameters, Random random)
    : history_length_(static_cast<unsigned>(parameters.history_length)),
      counters_(parameters.history_entries) {
    // Nothing clears the table after power-up.
    for (auto &counter : counters_)
        counter = static_cast<std::uint8_t>(random.next() & 3);
}

bool Branches::predicted_taken(std::uint64_t from, bool is_taken) {
    auto &counter = counters_[((from >> 2) ^ history_) % counters_.size()];
    bool predicted = counter >= 2;
    if (is_taken && counter < 3)
        ++counter;
    else if (!is_taken && counter > 0)
        --counter;
    history_ = (history_ << 1 | is_taken) & ((1u << history_length_) - 1);
    return predicted;
}

Branches::Outcome Branches::taken(std::uint64_t from) {
    if (last_taken_ == from)
        return Outcome::hot;
    last_taken_ = from;
    return Outcome::taken;
}

Branches::Outcome Branches::resolve(Kind kind, std::uint64_t from, std::uint64_t to) {
    switch (kind) {
    case Kind::branch_if: {
        bool is_taken = to != from + 4;
        if (predicted_taken(from, is_taken) != is_taken)
            return Outcome::mispredicted;
        return is_taken ? taken(from) : Outcome::straight;
    }
    case Kind::eret:
        return Outcome::unpredicted;
    case Kind::ret: {
        top_ = (top_ + returns - 1) % returns;
        return return_stack_[top_] == to ? Outcome::taken : Outcome::mispredicted;
    }
    case Kind::branch_to:
    case Kind::call_to: {
        if (kind == Kind::call_to) {
            return_stack_[top_] = from + 4;
            top_ = (top_ + 1) % returns;
        }
        auto &target = targets_[from >> 2 & (indirect_targets - 1)];
        bool known = target.from == from && target.to == to;
        target = {from, to};
        return known ? Outcome::taken : Outcome::mispredicted;
    }
    case Kind::call:
        return_stack_[top_] = from + 4;
        top_ = (top_ + 1) % returns;
        return taken(from);
    default:
        return taken(from);
    }
}

} // namespace twin::a53
