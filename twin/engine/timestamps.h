// Timestamp generator 0xFE900000 (UG1087, module TSGEN): the counter that stamps what the STM
// traces, at 250 MHz (DBG_TSTMP_CTRL of the ZCU102 preset: IOPLL_TO_FPD / 2).
#pragma once

#include "coresight.h"

namespace twin {

class Timestamps : public CoreSight {
  public:
    Timestamps(const Profile &profile, const ControlRegisters &control)
        : CoreSight(profile, control, 0xFE90'0000, 0x101) {}

    const char *name() const override { return "TSGEN"; }

    // Not before it was started.
    std::uint64_t at(Time time) const {
        return runs_ && time > begin_ ? (time - begin_) / timestamp_cycle : 0;
    }

  protected:
    std::uint32_t read(const Access &access, unsigned offset, Time time) override;
    bool writable(unsigned offset) const override { return offset == 0; }
    void write(unsigned offset, std::uint32_t value, Time time) override;

  private:
    bool runs_ = false;
    Time begin_ = 0;
};

} // namespace twin
