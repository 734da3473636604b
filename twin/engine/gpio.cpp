#include "gpio.h"

#include "core.h"
#include "pl.h"

#include <algorithm>
#include <optional>

namespace twin {

namespace {

// emio_o3: address, write flag of a request to the gateware (hw/regs/irqscope.rdl, map emio).
constexpr std::uint32_t address_of(std::uint32_t bank3) { return bank3 >> 16 & 0x3FFF; }
constexpr std::uint32_t write_flag = 1u << 30;

// Bank 5: EMIO 95 is pl_resetn0.
constexpr std::uint32_t data_5 = 0x54, direction_5 = 0x344, output_enable_5 = 0x348;
constexpr std::uint32_t pl_resetn0 = 1u << 31;

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
    unsigned bank; // 0: bank 3, 1: bank 4
};

// UG1087, module GPIO.
std::optional<Register> decode(std::uint32_t offset) {
    for (unsigned bank = 0; bank < 2; ++bank) {
        unsigned number = bank + 3;
        if (offset == 0x00 + 8 * number)
            return Register{Kind::mask_low, bank};
        if (offset == 0x04 + 8 * number)
            return Register{Kind::mask_high, bank};
        if (offset == 0x40 + 4 * number)
            return Register{Kind::data, bank};
        if (offset == 0x60 + 4 * number)
            return Register{Kind::data_ro, bank};
        if (offset == 0x204 + 0x40 * number)
            return Register{Kind::direction, bank};
        if (offset == 0x208 + 0x40 * number)
            return Register{Kind::output_enable, bank};
        if (offset == 0x20C + 0x40 * number)
            return Register{Kind::int_mask, bank};
        if (offset == 0x214 + 0x40 * number)
            return Register{Kind::int_disable, bank};
    }
    return std::nullopt;
}

// MASK_DATA: bits 31:16 protect where they are 1.
std::uint32_t masked(std::uint32_t before, std::uint32_t value, unsigned shift) {
    std::uint32_t written = (~value >> 16 & 0xFFFF) << shift;
    return (before & ~written) | ((value & 0xFFFF) << shift & written);
}

} // namespace

Time Gpio::take_port(Time arrival) {
    Time start = align_up(std::max(arrival, port_free_), apb_cycle, profile_.apb_phase);
    port_free_ = start + profile_.gpio_spacing;
    return start + profile_.gpio_access;
}

std::uint32_t Gpio::load(const Access &access) {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    std::uint32_t offset = access.address & 0xFFF;
    auto reg = decode(offset);
    bool bank_5 = offset == data_5 || offset == direction_5 || offset == output_enable_5;
    if (!bank_5 && (!reg || reg->kind == Kind::int_disable))
        refuse_access(*this, access, "no such readable register; banks 3, 4 and 5 only");
    Time sampled = take_port(access.core->time());
    access.core->wait_until(sampled);
    if (bank_5)
        return offset == data_5 && faults_.reset_held ? 0 : pl_resetn0;
    const auto &bank = banks_[reg->bank];
    switch (reg->kind) {
    case Kind::mask_low:
        return bank.data & 0xFFFF;
    case Kind::mask_high:
        return bank.data >> 16;
    case Kind::data:
        return bank.data;
    case Kind::data_ro:
        return input(reg->bank, sampled - profile_.gpio_input);
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

// What the pins of a bank show the controller.
std::uint32_t Gpio::input(unsigned bank, Time time) {
    std::uint32_t levels = pl_.inputs_at(time)[bank];
    if (bank == 0)
        return levels;
    bool changed = address_of(banks_[0].pins()) == faults_.changed_word;
    return static_cast<std::uint32_t>((levels ^ (changed ? faults_.change : 0)) & ~faults_.in4_low);
}

// What the PL sees of the pins from `time` on.
void Gpio::drive(Time time) {
    auto bank3 = static_cast<std::uint32_t>(banks_[0].pins() & ~faults_.out3_low);
    if (address_of(bank3) == faults_.unwritable_word)
        bank3 &= ~write_flag;
    pl_.set_pins(time, bank3, banks_[1].pins());
}

void Gpio::check_store(const Access &access, std::uint32_t) const {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    auto reg = decode(access.address & 0xFFF);
    if (!reg || reg->kind == Kind::data_ro || reg->kind == Kind::int_mask)
        refuse_access(*this, access, "no such writable register; banks 3 and 4 only");
}

Time Gpio::store(const Access &access, std::uint32_t value, Time arrival) {
    // The port works in order, so the registers can be changed now: whoever reads them later
    // comes through the port later.
    Time effective = take_port(arrival);
    auto reg = *decode(access.address & 0xFFF);
    auto &bank = banks_[reg.bank];
    switch (reg.kind) {
    case Kind::mask_low:
        if (reg.bank == 0)
            markers_.store(access, value);
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
    drive(effective);
    return effective;
}

} // namespace twin
