// The gateware compiled with its EMIO shell: ip/irqscope.v, what Vivado packs for the boards. The
// names are its ports'; a machine says what they reach.
//
// Its parts have a clock each (irqscope_twin/clocks.py), which stands still in a tick in which the
// part is at rest, or ignores the events. That this changes no register of it is the theorem of
// stillness (docs/formal.md), by which whole ticks are skipped too.
#pragma once

#include "core/shell.h"

#include <memory>

class Virqscope;

namespace twin {

// Pins: emio_o3, emio_o4 in; emio_i3, emio_i4 out. Lines: 0..7 pl_ps_irq0, 8..15 pl_ps_irq1, 16..19
// pl_ps_apugic_irq. Event n: stm_event[32 + n]. Inputs: pmod_in; copies: pmod.
class EmioShell : public Shell {
  public:
    using Bits = std::uint64_t; // one for each part

    // Its own identification.
    struct Identity {
        std::uint32_t source_id;
        std::uint32_t source_hash;
        std::uint32_t tick_hz;
    };
    // `resting`: false, every part is clocked in every tick.
    EmioShell(Identity identity, bool resting);
    ~EmioShell() override;

    void step() override;
    void reset(bool asserted) override;
    void set_pins(Pins pins) override;
    Pins pins() const override;
    std::uint32_t lines() const override;
    std::uint32_t events() const override;
    void set_inputs(std::uint32_t levels) override;
    std::uint32_t copies() const override;
    bool armed() const override;
    std::uint64_t now() const override;
    bool quiet() const override;
    std::uint64_t first_target() const override;
    void set_skip(bool skip, std::uint64_t to) override;
    void trace_identity(Trace &trace) const override;
    void trace_pins(Trace &trace, std::uint64_t tick) const override;
    void trace_outputs(Trace &trace, std::uint64_t tick) const override;

  private:
    Bits awake();
    Bits chains() const;
    std::uint64_t target(unsigned index) const;

    const std::unique_ptr<Virqscope> model_;
    const bool resting_;
    unsigned unsettled_ = 0; // so many ticks more what has been written to is clocked
    unsigned collided_ = 0;  // so many ticks more a collision of pins may be on its way
    unsigned cleared_ = 0;   // so many ticks a clear lasts
    Bits settling_ = 0;      // what that is
    Bits driven_ = 0;        // whose pins have changed since the last tick
    Bits passed_ = 0;        // the chains of registers that the access under way passes
};

} // namespace twin
