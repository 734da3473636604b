#include "devices/stm32/pins.h"

namespace twin::stm32 {

namespace {

enum : unsigned { imr, emr, rtsr, ftsr, swier, pr };
constexpr std::uint32_t lines = 0x007F'FFFF;

} // namespace

std::string pin_name(unsigned pin) {
    return std::string("P") + static_cast<char>('A' + pin / pins_of_port) +
           std::to_string(pin % pins_of_port);
}

// Pins of the debugger.
std::array<Pins::Port, ports> Pins::initial() {
    std::array<Port, ports> found{};
    found[0].mode = 0xA800'0000;
    found[0].speed = 0x0C00'0000;
    found[0].pull = 0x6400'0000;
    found[1].mode = 0x280;
    found[1].speed = 0xC0;
    found[1].pull = 0x100;
    return found;
}

std::uint32_t Pins::levels(unsigned port) const {
    const Port &it = ports_[port];
    std::uint32_t value = 0;
    for (unsigned n = 0; n < pins_of_port; ++n) {
        bool is_output = (it.mode >> 2 * n & 3) == 1;
        bool pulled_up = (it.pull >> 2 * n & 3) == 1;
        bool outside = it.driven >> n & 1 ? it.input >> n & 1 : pulled_up;
        bool level = is_output ? it.output >> n & 1 : outside;
        value |= static_cast<std::uint32_t>(level) << n;
    }
    return value;
}

std::uint32_t Pins::load_port(unsigned port, std::uint32_t offset) const {
    const Port &it = ports_[port];
    const std::uint32_t values[] = {it.mode,   it.type, it.speed, it.pull,         levels(port),
                                    it.output, 0,       it.lock,  it.alternate[0], it.alternate[1]};
    return offset / 4 < std::size(values) ? values[offset / 4] : 0;
}

// Levels of output pins that change are told, also by a change of the mode.
void Pins::put_out(unsigned port, std::uint32_t value, Time at) {
    Port &it = ports_[port];
    std::uint32_t changed = (it.output ^ value) & 0xFFFF;
    it.output = value & 0xFFFF;
    for (unsigned n = 0; n < pins_of_port; ++n)
        if (changed >> n & 1 && (it.mode >> 2 * n & 3) == 1)
            wiring_.drives(port * pins_of_port + n, value >> n & 1, at + output_);
}

void Pins::store_port(unsigned port, std::uint32_t offset, std::uint32_t value, Time at) {
    Port &it = ports_[port];
    switch (offset) {
    case 0x00:
        it.mode = value;
        return;
    case 0x04:
        it.type = value;
        return;
    case 0x08:
        it.speed = value;
        return;
    case 0x0C:
        it.pull = value;
        return;
    case 0x14:
        return put_out(port, value, at);
    case 0x18: // BSRR: setting goes before resetting
        return put_out(port, (it.output & ~(value >> 16)) | (value & 0xFFFF), at);
    case 0x1C:
        it.lock = value;
        return;
    case 0x20:
    case 0x24:
        it.alternate[(offset - 0x20) / 4] = value;
        return;
    default:
        return;
    }
}

unsigned Pins::routed(unsigned line) const { return syscfg_[2 + line / 4] >> line % 4 * 4 & 15; }

void Pins::drive(unsigned pin, bool level) {
    unsigned port = pin / pins_of_port, number = pin % pins_of_port;
    Port &it = ports_[port];
    bool before = levels(port) >> number & 1;
    it.driven |= 1u << number;
    it.input = (it.input & ~(1u << number)) | static_cast<std::uint32_t>(level) << number;
    if (before != level && routed(number) == port)
        edge(number, level);
}

void Pins::set_source(unsigned line, bool level) {
    std::uint32_t bit = 1u << line;
    if (level == ((sources_ & bit) != 0))
        return;
    sources_ ^= bit;
    edge(line, level);
}

void Pins::edge(unsigned line, bool rises) {
    if (!(exti_[rises ? rtsr : ftsr] >> line & 1))
        return;
    if (exti_[emr] >> line & 1)
        wiring_.event();
    exti_[pr] |= 1u << line;
    show();
}

void Pins::show() {
    for (unsigned line = 0; line < 23; ++line)
        wiring_.interrupt(line, exti_[pr] & exti_[imr] & 1u << line);
}

void Pins::store_exti(std::uint32_t offset, std::uint32_t value) {
    unsigned which = offset / 4 % 6;
    value &= lines;
    if (which == pr) {
        exti_[pr] &= ~value;
        exti_[swier] &= ~value;
    } else if (which == swier) {
        exti_[pr] |= value & ~exti_[swier];
        exti_[swier] |= value;
    } else {
        exti_[which] = value;
    }
    show();
}

std::string Pins::blocked(unsigned pin) const {
    unsigned port = pin / pins_of_port, number = pin % pins_of_port;
    std::string line = "EXTI" + std::to_string(number);
    if (routed(number) != port)
        return "SYSCFG routes " + line + " to " + pin_name(routed(number) * pins_of_port + number);
    if (!((exti_[rtsr] | exti_[ftsr]) >> number & 1))
        return line + " has no edge selected in RTSR and FTSR";
    if (!(exti_[imr] >> number & 1))
        return line + " is masked in EXTI_IMR";
    return "";
}

} // namespace twin::stm32
