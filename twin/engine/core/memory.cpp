#include "core/memory.h"

#include "core/stop.h"

#include <sys/mman.h>

namespace twin {

Memory::Memory(const std::vector<Part> &parts) {
    for (auto [base, size] : parts) {
        void *bytes = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (bytes == MAP_FAILED)
            refuse("cannot reserve the address space of the board's memory");
        madvise(bytes, size, MADV_HUGEPAGE); // programs that roam it cost the host fewer misses
        regions_.push_back({base, size, static_cast<std::uint8_t *>(bytes)});
    }
}

std::uint8_t *Memory::at(std::uint64_t address, std::uint64_t size) const {
    for (const auto &region : regions_)
        if (address >= region.base && address - region.base <= region.size &&
            size <= region.size - (address - region.base))
            return region.bytes + (address - region.base);
    return nullptr;
}

} // namespace twin
