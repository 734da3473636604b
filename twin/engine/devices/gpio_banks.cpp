#include "devices/gpio_banks.h"

namespace twin {

namespace {

// MASK_DATA: bits 31:16 protect where they are 1.
std::uint32_t masked(std::uint32_t before, std::uint32_t value, unsigned shift) {
    std::uint32_t written = (~value >> 16 & 0xFFFF) << shift;
    return (before & ~written) | ((value & 0xFFFF) << shift & written);
}

} // namespace

std::optional<GpioRegister::Kind> gpio_kind(std::uint32_t offset, unsigned bank) {
    using Kind = GpioRegister::Kind;
    if (offset == 0x00 + 8 * bank)
        return Kind::mask_low;
    if (offset == 0x04 + 8 * bank)
        return Kind::mask_high;
    if (offset == 0x40 + 4 * bank)
        return Kind::data;
    if (offset == 0x60 + 4 * bank)
        return Kind::data_ro;
    if (offset == 0x204 + 0x40 * bank)
        return Kind::direction;
    if (offset == 0x208 + 0x40 * bank)
        return Kind::output_enable;
    if (offset == 0x20C + 0x40 * bank)
        return Kind::int_mask;
    if (offset == 0x214 + 0x40 * bank)
        return Kind::int_disable;
    return std::nullopt;
}

std::optional<GpioRegister> GpioBanks::find(std::uint32_t offset) const {
    for (unsigned bank = 0; bank < banks_.size(); ++bank)
        if (auto kind = gpio_kind(offset, first_ + bank))
            return GpioRegister{*kind, bank};
    return std::nullopt;
}

std::uint32_t GpioBanks::load(GpioRegister from, GpioPins inputs) const {
    using Kind = GpioRegister::Kind;
    const auto &bank = banks_[from.bank];
    switch (from.kind) {
    case Kind::mask_low:
        return bank.data & 0xFFFF;
    case Kind::mask_high:
        return bank.data >> 16;
    case Kind::data:
        return bank.data;
    case Kind::data_ro:
        return inputs[from.bank];
    case Kind::direction:
        return bank.direction;
    case Kind::output_enable:
        return bank.output_enable;
    case Kind::int_mask:
    case Kind::int_disable:
        break;
    }
    return 0xFFFF'FFFF; // INT_MASK: none can be enabled here
}

void GpioBanks::store(GpioRegister to, std::uint32_t value) {
    using Kind = GpioRegister::Kind;
    auto &bank = banks_[to.bank];
    switch (to.kind) {
    case Kind::mask_low:
        bank.data = masked(bank.data, value, 0);
        break;
    case Kind::mask_high:
        bank.data = masked(bank.data, value, 16);
        break;
    case Kind::data:
        bank.data = value;
        break;
    case Kind::direction:
        bank.direction = value;
        break;
    case Kind::output_enable:
        bank.output_enable = value;
        break;
    default: // INT_DIS: all are disabled anyway
        break;
    }
}

} // namespace twin
