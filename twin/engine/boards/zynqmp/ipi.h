// The inter-processor interrupts' channel of the APU, and their message buffers.
//
// Of the other processors there is the PMU alone. It runs no firmware for power management: it
// answers each request with "no such feature", as AMD's own does to one that it does not know.
#pragma once

#include "core/device.h"
#include "core/events.h"

#include <array>
#include <cstdint>

namespace twin::zynqmp {

class Ipi : public Device {
  public:
    Ipi(EventQueue &events, Time path) : events_(events), path_(path) {}

    const char *name() const override { return "IPI"; }
    std::vector<std::uint64_t> pages() const override;
    Time path() const override { return path_; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    EventQueue &events_;
    const Time path_;
    std::uint32_t observed_ = 0;         // requests that are not yet answered
    std::uint32_t masked_ = 0x0F0F'0301; // nothing is enabled
    std::array<std::uint32_t, 1024> buffers_{};
};

} // namespace twin::zynqmp
