// Registers that keep what is stored and do nothing else: an AXI peripheral of the PL's, as far as
// a program acknowledges its interrupt there.
#pragma once

#include "core/device.h"

#include <array>
#include <cstdint>

namespace twin {

class RegisterFile : public Device {
  public:
    static constexpr std::uint64_t bytes = 0x1000;

    // `path`: time from a core, one way.
    RegisterFile(std::uint64_t base, Time path) : base_(base), path_(path) {}

    const char *name() const override { return "gpio="; }
    std::vector<std::uint64_t> pages() const override { return {base_}; }
    Time path() const override { return path_; }
    bool takes_wide() const override { return true; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    const std::uint64_t base_;
    const Time path_;
    std::array<std::uint8_t, bytes> values_{};
};

} // namespace twin
