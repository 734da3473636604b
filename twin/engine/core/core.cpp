#include "core/core.h"

#include "core/stop.h"

namespace twin {

std::string Core::where(std::uint64_t address) const {
    return names_ ? names_(address) : hex(address);
}

} // namespace twin
