// Trace funnel (UG1087, module FUNNEL4P): lets the STM's trace through to the ETF.
#pragma once

#include "devices/coresight.h"

namespace twin {

class Funnel : public CoreSight {
  public:
    Funnel(const DebugBus &bus, std::uint64_t base) : CoreSight(bus, base, 0x908) {}

    const char *name() const override { return "FUNNEL 2"; }

    // Nobody publishes which input the STM is at: whoever needs its trace opens all four.
    bool is_open() const { return (control_word_ & 0xF) == 0xF; }

  protected:
    std::uint32_t read(const Access &access, unsigned offset, Time) override {
        if (offset != 0)
            refuse_access(*this, access, "no such register");
        return control_word_;
    }
    bool writable(unsigned offset) const override { return offset == 0; }
    void write(unsigned, std::uint32_t value, Time) override { control_word_ = value; }

  private:
    std::uint32_t control_word_ = 0x300;
};

} // namespace twin
