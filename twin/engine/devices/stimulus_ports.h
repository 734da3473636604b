// The pages by which software stores to the ports of the STM (UG1085 chapter 39).
#pragma once

#include "devices/coresight.h"
#include "devices/stm.h"

namespace twin {

class StimulusPorts : public Device {
  public:
    // `path`: from a core to where a store is stamped.
    StimulusPorts(const DebugBus &bus, std::uint64_t base, Time path, Stm &stm)
        : bus_(bus), base_(base), path_(path), stm_(stm) {}

    const char *name() const override { return "STM stimulus ports"; }
    std::vector<std::uint64_t> pages() const override { return {base_}; }
    Time path() const override { return path_; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    const DebugBus &bus_;
    const std::uint64_t base_;
    const Time path_;
    Stm &stm_;
};

} // namespace twin
