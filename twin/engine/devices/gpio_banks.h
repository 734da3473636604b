// The registers of two banks of Xilinx's GPIO controller (UG1087, module GPIO), without its timing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace twin {

// Pins of the two banks.
using GpioPins = std::array<std::uint32_t, 2>;

struct GpioRegister {
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
    Kind kind;
    unsigned bank; // 0 or 1

    bool is_readable() const { return kind != Kind::int_disable; }
    bool is_writable() const { return kind != Kind::data_ro && kind != Kind::int_mask; }
};

// The register of a bank at an offset, by the controller's own number of the bank.
std::optional<GpioRegister::Kind> gpio_kind(std::uint32_t offset, unsigned bank);

class GpioBanks {
  public:
    explicit GpioBanks(unsigned first) : first_(first) {}

    std::optional<GpioRegister> find(std::uint32_t offset) const;

    // `inputs`: levels of the input pins, for DATA_RO.
    std::uint32_t load(GpioRegister from, GpioPins inputs) const;
    void store(GpioRegister to, std::uint32_t value);

    // The pins that are driven high.
    GpioPins pins() const { return {banks_[0].pins(), banks_[1].pins()}; }

  private:
    struct Bank {
        std::uint32_t data = 0;
        std::uint32_t direction = 0;
        std::uint32_t output_enable = 0;

        std::uint32_t pins() const { return data & direction & output_enable; }
    };

    const unsigned first_;
    std::array<Bank, 2> banks_{};
};

} // namespace twin
