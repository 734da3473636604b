// A timer of an STM32F4, counting up: update, and up to four compare channels. RM0390, 16 to 19.
// Captures, outputs, slave modes and counting down are not modelled.
#pragma once

#include "devices/stm32/beat.h"

#include <cstdint>
#include <functional>
#include <map>

namespace twin::stm32 {

class Timer {
  public:
    struct Wiring {
        std::function<unsigned()> ratio; // cycles of the core in one of the timer's clock
        std::function<void(std::uint32_t flags)> interrupt; // of SR that are enabled
    };

    Timer(unsigned bits, const Beat &beat, Wiring wiring)
        : greatest_(bits == 32 ? 0xFFFF'FFFF : 0xFFFF), beat_(beat), wiring_(std::move(wiring)),
          reload_(greatest_) {}

    std::uint32_t load(std::uint32_t offset, Time at);
    void store(std::uint32_t offset, std::uint32_t value, Time at);
    // The ratio is another one.
    void follow(Time at);

  private:
    std::uint64_t period() const { return std::uint64_t{reload_} + 1; }
    std::uint64_t tick() const { return std::uint64_t{ratio_} * (prescaler_ + 1); }
    std::uint64_t count_at(std::uint64_t cycle) const;
    void hold(std::uint64_t cycle);
    void look(std::uint64_t cycle);
    void plan(std::uint64_t cycle);
    void tell() { wiring_.interrupt(status_ & enabled_); }

    const std::uint32_t greatest_;
    const Beat &beat_;
    const Wiring wiring_;
    unsigned ratio_ = 1;
    std::uint32_t control_ = 0, enabled_ = 0, status_ = 0;
    std::uint32_t prescaler_ = 0, next_prescaler_ = 0, reload_;
    std::uint32_t compare_[4] = {};
    std::uint64_t since_ = 0; // cycle in which the count was
    std::uint64_t count_ = 0;
    std::uint64_t looked_ = 0; // flags are as of this count, without wrap, from `count_`
    std::map<std::uint32_t, std::uint32_t> kept_;
};

} // namespace twin::stm32
