// Effects of maintenance of caches, predictors and TLBs on the models of a cluster, and their
// costs.

#include "timing/a9/model.h"

#include <algorithm>
#include <bit>

namespace twin::a9 {

void Model::maintain(a32::CoprocessorRegister reg, std::uint32_t value) {
    auto takes = [this](Time time) { quiet_ = std::max(quiet_, issued_) + time; };
    bool shared = reg.crm == 1 || reg.crm == 3; // for all cores
    if (reg.crn == 8) {
        takes(parameters_.all_translations);
        for (auto *core : cluster_.cores)
            if (core == this || shared)
                reg.opc2 == 0 ? core->tlb_.clear() : core->tlb_.remove(value & ~0xFFFu);
        return;
    }
    constexpr unsigned barrier = 4; // ISB in its older form, without an instruction of its own
    if (reg.crn != 7)
        return;
    if ((reg.crm == 5 && reg.opc2 != barrier) || reg.crm == 1) {
        takes(parameters_.all_instructions);
        for (auto *core : cluster_.cores) {
            if (core != this && !shared)
                continue;
            if (reg.opc2 == 0) // ICIALLU also empties the predictors
                core->l1i_.clear();
            if (reg.opc2 == 1)
                core->l1i_.remove(line_of(value));
            if (reg.opc2 == 0 || reg.opc2 == 6)
                core->branches_.clear();
            core->fetched_ = none;
        }
    } else if (reg.opc2 == 2 && (reg.crm == 6 || reg.crm == 10 || reg.crm == 14)) {
        takes(parameters_.set_way);
        maintain_set_way(reg.crm, value);
    } else if (reg.opc2 == 1 && (reg.crm == 6 || reg.crm >= 10)) {
        takes(parameters_.by_address);
        maintain_line(reg.crm, value);
    }
}

// Invalidate 6, clean 10 and 11, both 14; of the L1 data caches of the cluster.
void Model::maintain_line(unsigned operation, std::uint32_t address) {
    for (auto *core : cluster_.cores) {
        auto *line = core->l1d_.find(line_of(address));
        if (!line)
            continue;
        if (line->dirty && operation != 6)
            memories_.write_back(number_, line->number);
        line->dirty = false;
        if (operation == 6 || operation == 14)
            core->l1d_.remove(line_of(address));
    }
}

void Model::maintain_set_way(unsigned operation, std::uint32_t value) {
    auto ways = static_cast<unsigned>(std::countr_zero(l1d_.ways()));
    auto *line = l1d_.at(value / line_bytes & (l1d_.sets() - 1), value >> (32 - ways));
    if (!line || !line->valid())
        return;
    if (line->dirty && operation != 6)
        memories_.write_back(number_, line->number);
    line->dirty = false;
    if (operation != 10)
        *line = Cache::Line{};
}

} // namespace twin::a9
