// Effects of DC, IC and TLBI on a Model, and their costs.

#include "timing/a53/model.h"

#include <algorithm>

namespace twin::a53 {

void Model::maintain_set_way(unsigned op, std::uint64_t operand, Time at) {
    ++counters_.set_way;
    bool second = (operand >> 1 & 7) == 1;
    // The way is in the top bits of the low word.
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
        wait = memories_.maintain_l2(number_, set, way, clean, invalidate, at, counters_);
    } else {
        auto way = way_of(static_cast<unsigned>(parameters_.l1d_ways));
        auto *line = l1d_.at(set & (l1d_.sets() - 1), way);
        if (line && line->valid()) {
            if (clean && line->dirty)
                wait = memories_.evict(number_, *line, at, counters_);
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
        for (auto *core : cluster_.cores) {
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
        for (auto *core : cluster_.cores)
            if (core == this || crm == 1)
                core->drop_instructions();
        return;
    }
    maintained_ = std::max({maintained_, at, stores_.empty()}) + parameters_.by_address * cycle_;
    LineNumber line = line_of(operand);
    if (op1 == 3 && crm == 5) { // IC IVAU
        for (auto *core : cluster_.cores)
            core->drop_instructions(line);
    } else if (crm == 10 || crm == 11) { // DC CVAC, CVAU
        memories_.write_back(number_, line, at, counters_);
    } else { // DC CIVAC, IVAC
        memories_.flush_everywhere(number_, line, at, counters_);
    }
}

} // namespace twin::a53
