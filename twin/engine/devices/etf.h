// Trace memory (UG1087, module ETF8K; Arm DDI 0461): 8 KB, as a circular buffer with its formatter
// on. Nothing that enters waits: its bandwidth is not modelled.
#pragma once

#include "devices/coresight.h"
#include "devices/frames.h"

#include <functional>
#include <vector>

namespace twin {

class Funnel;

class Etf : public CoreSight {
  public:
    Etf(const DebugBus &bus, std::uint64_t base, const Funnel &funnel);

    const char *name() const override { return "ETF 2"; }

    // `flush_source` brings in the trace that is on its way; it is called when the memory is
    // flushed.
    void attach(std::function<void()> flush_source) { flush_source_ = std::move(flush_source); }

    void take(unsigned source, std::uint8_t byte);

  protected:
    std::uint32_t read(const Access &access, unsigned offset, Time time) override;
    bool writable(unsigned offset) const override;
    void write(unsigned offset, std::uint32_t value, Time time) override;

  private:
    void start();
    void stop();
    std::uint32_t next_word();

    const Funnel &funnel_;
    std::function<void()> flush_source_;
    Frames frames_;
    std::vector<std::uint32_t> memory_;
    std::uint64_t written_ = 0; // words, of which the memory keeps the newest
    std::uint64_t read_ = 0;    // the next of them to be read
    bool capturing_ = false;    // TraceCaptEn
    bool stopped_ = true;
    std::uint32_t flush_control_ = 0;
};

} // namespace twin
