// GPIO ports, SYSCFG's routing and EXTI of an STM32F4: from a pin to an interrupt. RM0390, chapters
// 7, 8 and 10.
#pragma once

#include "core/units.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace twin::stm32 {

inline constexpr unsigned ports = 11, pins_of_port = 16; // A to K

// "PC13" of port 2 and pin 13.
std::string pin_name(unsigned pin);

class Pins {
  public:
    struct Wiring {
        std::function<void(unsigned pin, bool level, Time at)> drives; // an output changes
        std::function<void(unsigned line, bool pending)> interrupt;    // of EXTI, as a level
        std::function<void()> event;                                   // of EXTI, for WFE
    };

    Pins(Time output, Wiring wiring) : output_(output), wiring_(std::move(wiring)) {}

    std::uint32_t load_port(unsigned port, std::uint32_t offset) const;
    void store_port(unsigned port, std::uint32_t offset, std::uint32_t value, Time at);
    std::uint32_t load_exti(std::uint32_t offset) const { return exti_[offset / 4 % 6]; }
    void store_exti(std::uint32_t offset, std::uint32_t value);
    std::uint32_t load_syscfg(std::uint32_t offset) const { return syscfg_[offset / 4 % 16]; }
    void store_syscfg(std::uint32_t offset, std::uint32_t value) {
        syscfg_[offset / 4 % 16] = value;
    }

    // Drives a pin from outside, or a line of EXTI that has none, as the RTC does.
    void drive(unsigned pin, bool level);
    void set_source(unsigned line, bool level);

    // Why an edge of this pin pends no interrupt, or empty.
    std::string blocked(unsigned pin) const;

  private:
    struct Port {
        std::uint32_t mode = 0, type = 0, speed = 0, pull = 0, output = 0, lock = 0;
        std::uint32_t alternate[2] = {};
        std::uint32_t input = 0, driven = 0; // levels from outside, of pins that are driven
    };

    void edge(unsigned line, bool rises);
    void put_out(unsigned port, std::uint32_t value, Time at);
    std::uint32_t levels(unsigned port) const;
    unsigned routed(unsigned line) const; // port
    void show();

    const Time output_;
    const Wiring wiring_;
    std::array<Port, ports> ports_{initial()};
    std::uint32_t exti_[6] = {}, sources_ = 0;
    std::uint32_t syscfg_[16] = {};

    static std::array<Port, ports> initial();
};

} // namespace twin::stm32
