// Translation of an address by a core's tables.
#pragma once

#include <cstdint>

namespace twin {

enum class Reach : std::uint8_t { load, store, fetch };

// Of one page of 4 KB.
struct Translation {
    bool allowed = true;      // the access that was asked for
    std::uint64_t to = 0;     // physical address of the page
    bool writable = true;     // a store is also allowed
    std::uint32_t status = 0; // not allowed: why, as the fault status register of the core says it
};

} // namespace twin
