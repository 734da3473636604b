// RCC, PWR and FLASH_ACR of an STM32F4: which clock the core has, and when one that is started is
// ready. RM0390, chapters 3, 5 and 6.
#pragma once

#include "core/units.h"
#include "devices/stm32/rtc.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>

namespace twin::stm32 {

struct ClockTimes {
    Time hsi_start, hse_start, pll_lock, lse_start, lsi_start, regulator;
    std::uint64_t lsi_hz;
};

class Clocks {
  public:
    static constexpr std::uint64_t hsi_hz = 16'000'000;

    // `changed`: the core's clock, or a ratio of a bus, is another one from now on.
    Clocks(const ClockTimes &times, std::uint64_t hse_hz, std::function<void(Time)> changed);

    std::uint32_t load_rcc(std::uint32_t offset, Time at);
    void store_rcc(std::uint32_t offset, std::uint32_t value, Time at);
    std::uint32_t load_pwr(std::uint32_t offset, Time at);
    void store_pwr(std::uint32_t offset, std::uint32_t value, Time at);

    std::uint64_t hz() const { return hz_; }
    // Cycles of the core in one of APB1 (0) or APB2 (1), and in one of its timers.
    unsigned ratio(unsigned bus) const;
    unsigned timer_ratio(unsigned bus) const;

    // Whether a peripheral's clock is on: a register RCC_xxxENR by its offset, and a bit.
    bool enabled(std::uint32_t offset, unsigned bit) const;

    // RTCCLK as BDCR selects it, in STOP or not.
    RtcClock rtc_clock(bool stopped) const;
    // BDCR and the RTC can be stored to.
    bool opens_backup() const { return power_ >> 8 & 1; }

    // STOP: HSI runs afterwards.
    void stop(Time at);
    bool stops_all() const { return !(power_ & 2); } // not standby
    bool stops_regulator() const { return power_ & 1; }
    bool stops_flash() const { return power_ >> 9 & 1; }

  private:
    static constexpr unsigned sources = 6; // HSI, HSE, PLL, PLLI2S, PLLSAI, and none
    void switch_to(Time at);
    bool ready(unsigned source, Time at) const { return at >= ready_at_[source]; }
    std::uint64_t source_hz(unsigned source) const;
    std::uint32_t kept(std::uint32_t offset) const;

    const ClockTimes times_;
    const std::uint64_t hse_hz_;
    const std::function<void(Time)> changed_;
    std::uint32_t control_ = 0x81, configuration_ = 0, power_ = 0xC000;
    std::map<std::uint32_t, std::uint32_t> kept_;
    std::array<Time, sources> ready_at_;
    Time lse_at_ = never, lsi_at_ = never, overdrive_at_ = never, overdrive_switch_at_ = never;
    unsigned used_ = 0;
    std::uint64_t hz_ = hsi_hz;
};

} // namespace twin::stm32
