#include "boards/zynqmp/emio.h"

#include "core/core.h"

namespace twin::zynqmp {

namespace {

// emio_o3: address, write flag of a request to the gateware (hw/regs/irqscope.rdl, map emio).
constexpr std::uint32_t address_of(std::uint32_t bank3) { return bank3 >> 16 & 0x3FFF; }
constexpr std::uint32_t write_flag = 1u << 30;

// Core n owns nibble n of the marker port; a code has three bits of it.
constexpr unsigned code_of(std::uint32_t markers, unsigned core) { return markers >> 4 * core & 7; }

} // namespace

Gpio::Wiring Emio::wiring() {
    return {[this](Time time, GpioPins levels) { drive(time, levels); },
            [this](Time time) { return sense(time); },
            [this](const Access &access, std::uint32_t value) { marker(access, value); }};
}

// What the PL sees of the pins from `time` on.
void Emio::drive(Time time, GpioPins levels) {
    bank3_ = levels[0];
    auto bank3 = static_cast<std::uint32_t>(bank3_ & ~faults_.out3_low);
    if (address_of(bank3) == faults_.unwritable_word)
        bank3 &= ~write_flag;
    gateware_.set_pins(time, {bank3, levels[1]});
}

// What the pins show the controller.
GpioPins Emio::sense(Time time) {
    auto [bank3, bank4] = gateware_.pins_at(time);
    bool changed = address_of(bank3_) == faults_.changed_word;
    bank4 = static_cast<std::uint32_t>((bank4 ^ (changed ? faults_.change : 0)) & ~faults_.in4_low);
    return {bank3, bank4};
}

void Emio::marker(const Access &access, std::uint32_t value) {
    unsigned core = access.core->number();
    markers_.store(core, code_of(value, core), access.instructions);
}

} // namespace twin::zynqmp
