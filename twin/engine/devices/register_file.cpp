#include "devices/register_file.h"

#include <cstring>

namespace twin {

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
