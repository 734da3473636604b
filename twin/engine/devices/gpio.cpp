#include "devices/gpio.h"

#include "core/core.h"

#include <algorithm>
#include <optional>
#include <string>

namespace twin {

namespace {

constexpr std::uint32_t reset_released = 1u << 31;

enum class Kind {
    mask_low,
    mask_high,
    data,
    data_ro,
    direction,
    output_enable,
    int_mask,
    int_disable
};

struct Register {
    Kind kind;
    unsigned bank;
};

std::optional<Kind> decode(std::uint32_t offset, unsigned bank) {
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

// `bank` of the result: 0 or 1.
std::optional<Register> decode_pair(std::uint32_t offset, unsigned first_bank) {
    for (unsigned bank = 0; bank < 2; ++bank)
        if (auto kind = decode(offset, first_bank + bank))
            return Register{*kind, bank};
    return std::nullopt;
}

// MASK_DATA: bits 31:16 protect where they are 1.
std::uint32_t masked(std::uint32_t before, std::uint32_t value, unsigned shift) {
    std::uint32_t written = (~value >> 16 & 0xFFFF) << shift;
    return (before & ~written) | ((value & 0xFFFF) << shift & written);
}

std::string number(unsigned bank) { return std::to_string(bank); }

} // namespace

Time Gpio::take_port(Time arrival) {
    Time start = align_up(std::max(arrival, port_free_), place_.cycle, times_.apb_phase);
    port_free_ = start + times_.gpio_spacing;
    return start + times_.gpio_access;
}

void Gpio::refuse(const Access &access, const char *what, const std::string &banks) const {
    refuse_access(*this, access,
                  (std::string("no such ") + what + " register; banks " + banks + " only").c_str());
}

std::uint32_t Gpio::load(const Access &access) {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    std::uint32_t offset = access.address & 0xFFF;
    auto reg = decode_pair(offset, place_.first_bank);
    auto reset = place_.reset_bank ? decode(offset, *place_.reset_bank) : std::nullopt;
    bool of_reset = reset == Kind::data || reset == Kind::direction || reset == Kind::output_enable;
    auto first = place_.first_bank;
    if (!of_reset && (!reg || reg->kind == Kind::int_disable))
        refuse(access, "readable",
               place_.reset_bank
                   ? number(first) + ", " + number(first + 1) + " and " + number(*place_.reset_bank)
                   : number(first) + " and " + number(first + 1));
    Time sampled = take_port(access.core->time());
    access.core->wait_until(sampled);
    if (of_reset)
        return reset == Kind::data && faults_.reset_held ? 0 : reset_released;
    const auto &bank = banks_[reg->bank];
    switch (reg->kind) {
    case Kind::mask_low:
        return bank.data & 0xFFFF;
    case Kind::mask_high:
        return bank.data >> 16;
    case Kind::data:
        return bank.data;
    case Kind::data_ro:
        return wiring_.sense(sampled - times_.gpio_input)[reg->bank];
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

void Gpio::check_store(const Access &access, std::uint32_t) const {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    auto reg = decode_pair(access.address & 0xFFF, place_.first_bank);
    if (!reg || reg->kind == Kind::data_ro || reg->kind == Kind::int_mask)
        refuse(access, "writable",
               number(place_.first_bank) + " and " + number(place_.first_bank + 1));
}

Time Gpio::store(const Access &access, std::uint32_t value, Time arrival) {
    // The port works in order, so the registers can be changed now: whoever reads them later
    // comes through the port later.
    Time effective = take_port(arrival);
    auto reg = *decode_pair(access.address & 0xFFF, place_.first_bank);
    auto &bank = banks_[reg.bank];
    switch (reg.kind) {
    case Kind::mask_low:
        if (reg.bank == 0)
            wiring_.marker(access, value);
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
    wiring_.drive(effective, {banks_[0].pins(), banks_[1].pins()});
    return effective;
}

} // namespace twin
