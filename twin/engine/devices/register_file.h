// Registers that keep what is stored and do nothing else: an AXI peripheral of the PL's, as far as
// a program acknowledges its interrupt there, or a component whose effect no program sees here.
#pragma once

#include "core/device.h"

#include <cstdint>
#include <utility>

namespace twin {

class RegisterFile : public Device {
  public:
    static constexpr std::uint64_t page = 0x1000;

    // `path`: time from a core, one way. `reset`: offsets and values of words that are not zero.
    RegisterFile(std::uint64_t base, Time path, const char *name = "gpio=", unsigned pages = 1,
                 const std::vector<std::pair<std::uint64_t, std::uint32_t>> &reset = {});

    const char *name() const override { return name_; }
    std::vector<std::uint64_t> pages() const override;
    Time path() const override { return path_; }
    bool takes_wide() const override { return true; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    const std::uint64_t base_;
    const Time path_;
    const char *const name_;
    std::vector<std::uint8_t> values_;
};

} // namespace twin
