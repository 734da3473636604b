// Timestamp generator (UG1087, module TSGEN): the counter that stamps what the STM traces.
#pragma once

#include "devices/coresight.h"

namespace twin {

class Timestamps : public CoreSight {
  public:
    // `cycle`: length of its clock's cycle.
    Timestamps(const DebugBus &bus, std::uint64_t base, Time cycle)
        : CoreSight(bus, base, 0x101), cycle_(cycle) {}

    const char *name() const override { return "TSGEN"; }

    // Precondition: it was started.
    std::uint64_t at(Time time) const {
        return runs_ && time > begin_ ? (time - begin_) / cycle_ : 0;
    }

  protected:
    std::uint32_t read(const Access &access, unsigned offset, Time time) override;
    bool writable(unsigned offset) const override { return offset == 0; }
    void write(unsigned offset, std::uint32_t value, Time time) override;

  private:
    const Time cycle_;
    bool runs_ = false;
    Time begin_ = 0;
};

} // namespace twin
