// GPIO controller 0xFF0A0000, EMIO banks 3 and 4: the pins between PS and PL.
//
// Every access goes through one APB port at 100 MHz, in the order of arrival. Bank 5 holds the
// PL reset, as psu_init leaves it: stores to it are refused, so are the MIO banks and the
// controller's interrupts.
#pragma once

#include "device.h"
#include "faults.h"
#include "markers.h"
#include "profile.h"

#include <array>
#include <cstdint>

namespace twin {

class Pl;

class Gpio : public Device {
  public:
    Gpio(const Profile &profile, const Faults &faults, Pl &pl, MarkerLog &markers)
        : profile_(profile), faults_(faults), pl_(pl), markers_(markers) {}

    const char *name() const override { return "GPIO"; }
    std::vector<std::uint64_t> pages() const override { return {0xFF0A'0000}; }
    Time path() const override { return profile_.gpio_path + faults_.gpio_delay; }
    Time way_back() const override { return profile_.gpio_return; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    struct Bank {
        std::uint32_t data = 0;
        std::uint32_t direction = 0;
        std::uint32_t output_enable = 0;

        std::uint32_t pins() const { return data & direction & output_enable; }
    };

    void drive(Time time);
    std::uint32_t input(unsigned bank, Time time);

    // Takes the port for one access; returns when it has effect.
    Time take_port(Time arrival);

    const Profile &profile_;
    const Faults &faults_;
    Pl &pl_;
    MarkerLog &markers_;
    std::array<Bank, 2> banks_{}; // EMIO banks 3 and 4
    Time port_free_ = 0;
};

} // namespace twin
