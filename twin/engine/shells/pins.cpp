#include "shells/pins.h"

#include "core/core.h"

namespace twin {

namespace {

// First bank: address, write flag of a request to the gateware (hw/regs/irqscope.rdl, map emio).
constexpr std::uint32_t address_of(std::uint32_t first) { return first >> 16 & 0x3FFF; }
constexpr std::uint32_t write_flag = 1u << 30;

// Core n owns nibble n of the marker port; a code has three bits of it.
constexpr unsigned code_of(std::uint32_t markers, unsigned core) { return markers >> 4 * core & 7; }

} // namespace

Gpio::Wiring EmioPins::wiring() {
    return {[this](Time time, GpioPins levels) { drive(time, levels); },
            [this](Time time) { return sense(time); },
            [this](const Access &access, std::uint32_t value) { marker(access, value); }};
}

// The PL's view of the pins from `time` on.
void EmioPins::drive(Time time, GpioPins levels) {
    first_ = levels[0];
    auto first = static_cast<std::uint32_t>(first_ & ~faults_.out_low);
    if (address_of(first) == faults_.unwritable_word)
        first &= ~write_flag;
    gateware_.set_pins(time, {first, levels[1]});
}

// The controller's view of the pins.
GpioPins EmioPins::sense(Time time) {
    auto [first, second] = gateware_.pins_at(time);
    bool changed = address_of(first_) == faults_.changed_word;
    second =
        static_cast<std::uint32_t>((second ^ (changed ? faults_.change : 0)) & ~faults_.in_low);
    return {first, second};
}

void EmioPins::marker(const Access &access, std::uint32_t value) {
    unsigned core = access.core->number();
    markers_.store(core, code_of(value, core), access.instructions);
}

} // namespace twin
