// The rows that the DDR's banks have open, and what cores do to each other by them.
//
// The loads and copies of one core that ddr.load and ddr.uncached rest on hold what that core does
// to rows itself. So an access pays only for a row that another core has closed, and a read for a
// write of another core; and only past the caches: ddr.load was measured with random loads.
#pragma once

#include "core/units.h"
#include "timing/a53/parameters.h"

#include <cstdint>
#include <vector>

namespace twin::a53 {

class Banks {
  public:
    explicit Banks(const Parameters &parameters)
        : parameters_(parameters), banks_(parameters.ddr_banks) {}

    // An access whose transfer could begin at `time`. Returns when it begins.
    Time wait(unsigned core, std::uint64_t address, bool write, Time time);

    // One that costs nothing and leaves row and direction unchanged.
    void pass(unsigned core, std::uint64_t address, bool write, Time time);

  private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    struct Bank {
        std::uint64_t row = none;
        unsigned core = 0; // that opened it
        Time opened = 0;
    };

    Bank &bank_of(std::uint64_t address) { return banks_[row_of(address) % banks_.size()]; }
    std::uint64_t row_of(std::uint64_t address) const {
        return address / (parameters_.ddr_row * 1024);
    }

    const Parameters &parameters_;
    std::vector<Bank> banks_;
    bool written_ = false; // the last access of all was a write
    unsigned writer_ = 0;  // by this core
    Time turned_ = 0;      // a read of another core can follow it
};

} // namespace twin::a53
