#include "core/device.h"

#include "core/core.h"
#include "core/stop.h"

#include <string>

namespace twin {

void refuse_access(const Device &device, const Access &access, const char *why) {
    stop_engine(std::string(access.is_store ? "store" : "load") + " of " +
                std::to_string(access.size) + " bytes at " + hex(access.address) + " (" +
                device.name() + "): " + why + ", PC " + access.core->where(access.pc) + ", core " +
                std::to_string(access.core->number()));
}

} // namespace twin
