// Xilinx's GPIO controller (UG1087, module GPIO): two banks of pins between PS and PL.
//
// Every access goes through one APB port, in the order of arrival. Other banks, of MIO pins, and
// the controller's interrupts are refused, but for a foreign program's, where nothing is at those
// pins: their registers keep what is stored, and no interrupt comes.
#pragma once

#include "core/device.h"
#include "devices/gpio_banks.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace twin {

struct GpioPlace {
    std::uint64_t base;
    unsigned first_bank; // of the two
    Time cycle;          // of its APB port
    // A bank that can be read and holds, in its highest bit, the PL's reset.
    std::optional<unsigned> reset_bank;
    bool of_program = false;
};

struct GpioTimes {
    Time apb_phase = 0;    // first APB edge after time 0
    Time gpio_path = 0;    // core -> GPIO port
    Time gpio_access = 0;  // GPIO port: start of an access -> pins
    Time gpio_spacing = 0; // GPIO port: start of an access -> start of the next
    Time gpio_return = 0;  // GPIO port -> core
    Time gpio_input = 0;   // input pin -> DATA_RO
};

struct GpioFaults {
    std::uint64_t gpio_delay = 0; // added time of the way to it
    std::uint64_t reset_held = 0; // the PL's reset is still low
};

class Gpio : public Device {
  public:
    struct Wiring {
        std::function<void(Time time, GpioPins levels)> drive; // the outputs, from `time` on
        std::function<GpioPins(Time time)> sense;              // the inputs at `time`
        // The lower half of the first bank is written through its mask.
        std::function<void(const Access &access, std::uint32_t value)> marker;
    };
    Gpio(const GpioPlace &place, const GpioTimes &times, const GpioFaults &faults, Wiring wiring)
        : place_(place), times_(times), faults_(faults), wiring_(std::move(wiring)),
          banks_(place.first_bank) {}

    const char *name() const override { return "GPIO"; }
    std::vector<std::uint64_t> pages() const override { return {place_.base}; }
    Time path() const override { return times_.gpio_path + faults_.gpio_delay; }
    Time way_back() const override { return times_.gpio_return; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    [[noreturn]] void refuse(const Access &access, const char *what,
                             const std::string &banks) const;

    // Takes the port for one access; returns when it has effect.
    Time take_port(Time arrival);

    const GpioPlace place_;
    const GpioTimes &times_;
    const GpioFaults &faults_;
    const Wiring wiring_;
    GpioBanks banks_;
    std::map<std::uint32_t, std::uint32_t> others_; // registers of other banks, by offset
    Time port_free_ = 0;
};

} // namespace twin
