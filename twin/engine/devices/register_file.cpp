#include "devices/register_file.h"

#include <cstring>

namespace twin {

RegisterFile::RegisterFile(std::uint64_t base, Time path, const char *name, unsigned pages,
                           const std::vector<std::pair<std::uint64_t, std::uint32_t>> &reset)
    : base_(base), path_(path), name_(name), values_(pages * page) {
    for (const auto &[offset, value] : reset)
        std::memcpy(&values_[offset], &value, sizeof value);
}

std::vector<std::uint64_t> RegisterFile::pages() const {
    std::vector<std::uint64_t> all;
    for (std::uint64_t offset = 0; offset < values_.size(); offset += page)
        all.push_back(base_ + offset);
    return all;
}

std::uint32_t RegisterFile::load(const Access &access) {
    std::uint32_t value = 0;
    std::memcpy(&value, &values_[access.address - base_], access.size);
    return value;
}

void RegisterFile::check_store(const Access &access, std::uint32_t) const {
    if (access.address % access.size)
        refuse_access(*this, access, "unaligned");
}

Time RegisterFile::store(const Access &access, std::uint32_t value, Time arrival) {
    std::memcpy(&values_[access.address - base_], &value, access.size);
    return arrival;
}

} // namespace twin
