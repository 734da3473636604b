#include "timing/a53/banks.h"

#include <algorithm>

namespace twin::a53 {

Time Banks::wait(unsigned core, std::uint64_t address, bool write, Time time) {
    if (!write && written_ && writer_ != core)
        time = std::max(time, turned_);
    const auto &bank = bank_of(address);
    bool closed = bank.row != none && bank.row != row_of(address) && bank.core != core;
    if (closed)
        time = std::max(time, bank.opened + parameters_.ddr_row_cycle);
    pass(core, address, write, time);
    return closed ? time + parameters_.ddr_row_open : time;
}

void Banks::pass(unsigned core, std::uint64_t address, bool write, Time time) {
    auto &bank = bank_of(address);
    if (bank.row != row_of(address))
        bank = {row_of(address), core, time};
    written_ = write;
    writer_ = core;
    turned_ = time + parameters_.ddr_turnaround;
}

} // namespace twin::a53
