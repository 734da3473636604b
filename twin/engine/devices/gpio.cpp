#include "devices/gpio.h"

#include "core/core.h"

#include <algorithm>
#include <optional>
#include <string>

namespace twin {

namespace {

constexpr std::uint32_t reset_released = 1u << 31;

// INT_MASK to INT_STAT of each bank.
bool is_interrupt(std::uint32_t offset) {
    return offset >= 0x200 && offset % 0x40 >= 0xC && offset % 0x40 <= 0x18;
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
    using Kind = GpioRegister::Kind;
    auto reg = banks_.find(offset);
    auto reset = place_.reset_bank ? gpio_kind(offset, *place_.reset_bank) : std::nullopt;
    bool of_reset = reset == Kind::data || reset == Kind::direction || reset == Kind::output_enable;
    auto first = place_.first_bank;
    if (place_.of_program && !of_reset && !reg) {
        access.core->wait_until(take_port(access.core->time()));
        return others_[offset];
    }
    if (!of_reset && (!reg || !reg->is_readable()))
        refuse(access, "readable",
               place_.reset_bank
                   ? number(first) + ", " + number(first + 1) + " and " + number(*place_.reset_bank)
                   : number(first) + " and " + number(first + 1));
    Time sampled = take_port(access.core->time());
    access.core->wait_until(sampled);
    if (of_reset)
        return reset == Kind::data && faults_.reset_held ? 0 : reset_released;
    GpioPins inputs{};
    if (reg->kind == Kind::data_ro)
        inputs = wiring_.sense(sampled - times_.gpio_input);
    return banks_.load(*reg, inputs);
}

void Gpio::check_store(const Access &access, std::uint32_t) const {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    auto reg = banks_.find(access.address & 0xFFF);
    if (!reg && place_.of_program)
        return;
    if (!reg || !reg->is_writable())
        refuse(access, "writable",
               number(place_.first_bank) + " and " + number(place_.first_bank + 1));
}

Time Gpio::store(const Access &access, std::uint32_t value, Time arrival) {
    // The port works in order, so the registers can be changed now: whoever reads them later
    // comes through the port later.
    Time effective = take_port(arrival);
    std::uint32_t offset = access.address & 0xFFF;
    auto found = banks_.find(offset);
    if (!found) {
        if (!is_interrupt(offset))
            others_[offset] = value;
        return effective;
    }
    auto reg = *found;
    if (reg.kind == GpioRegister::Kind::mask_low && reg.bank == 0)
        wiring_.marker(access, value);
    banks_.store(reg, value);
    wiring_.drive(effective, banks_.pins());
    return effective;
}

} // namespace twin
