#include "core/memory.h"

#include "core/stop.h"

#include <sys/mman.h>

namespace twin {

Memory::Memory(const std::vector<Part> &parts) {
    for (auto [base, size, same] : parts) {
        for (const auto &other : regions_)
            if (base < other.base + other.size && other.base < base + size)
                refuse("memory at " + hex(base) + " overlaps that at " + hex(other.base));
        if (same) {
            regions_.push_back({base, size, at(*same, size)});
            continue;
        }
        // An instruction may be looked at across the end.
        void *bytes = mmap(nullptr, size + 4096, PROT_READ | PROT_WRITE,
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

std::string Memory::about() const {
    std::string text;
    for (const auto &region : regions_)
        text += (text.empty() ? "" : ", ") + hex(region.base) + " to " +
                hex(region.base + region.size - 1);
    return text;
}

std::uint64_t Memory::below(std::uint64_t address) const {
    std::uint64_t nearest = 0;
    for (const auto &region : regions_) {
        if (address >= region.base && address - region.base < region.size)
            return 0;
        if (region.base > address && (!nearest || region.base - address < nearest))
            nearest = region.base - address;
    }
    return nearest;
}

} // namespace twin
