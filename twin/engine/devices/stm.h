// System trace macrocell (UG1087, module STM): stores of software and edges of stm_event become
// stamped packets.
//
// Its queue is not modelled: nothing waits and nothing is dropped. Two things are guesses
// (docs/stm.md): the contents of a hardware event's packet, and the master number of a core. A
// reader must not rest on either.
#pragma once

#include "devices/coresight.h"
#include "devices/stp.h"

namespace twin {

class Etf;
class Timestamps;

class Stm : public CoreSight {
  public:
    // `traced`: secure non-invasive debug is on.
    Stm(const DebugBus &bus, std::uint64_t base, bool traced, const Timestamps &timestamps,
        Etf &etf);

    const char *name() const override { return "STM"; }

    // A byte is stored to a port at `time`.
    void stimulus(unsigned master, unsigned port, std::uint8_t value, Time time);

    // stm_event[32 + line] of the PL rises at `time`.
    void event(unsigned line, Time time);

    void flush() { writer_.flush(); }

  protected:
    std::uint32_t read(const Access &access, unsigned offset, Time time) override;
    bool writable(unsigned offset) const override;
    void write(unsigned offset, std::uint32_t value, Time time) override;

  private:
    std::uint32_t *register_at(unsigned offset);
    bool enabled() const { return (control_word_ & 3) == 3; }

    const bool traced_;
    const Timestamps &timestamps_;
    Etf &etf_;
    StpWriter writer_;
    std::uint32_t control_word_ = 0; // STMTCSR
    std::uint32_t ports_ = 0;        // STMSPER
    std::uint32_t port_select_ = 0;  // STMSPSCR
    std::uint32_t events_ = 0;       // STMHEER of the upper bank
    std::uint32_t bank_ = 0;         // STMHEBSR
    std::uint32_t event_control_ = 0;
    std::uint32_t triggers_ = 0;
    std::uint32_t sync_ = 0;
};

} // namespace twin
