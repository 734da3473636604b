// The RTC of an STM32F4: calendar, two alarms, wake-up timer and backup registers, by a clock that
// STOP leaves on. RM0390, chapter 22. Calibration, time stamps, tampers and the output of 512 Hz
// are not modelled.
#pragma once

#include "core/events.h"
#include "core/units.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

namespace twin::stm32 {

// RTCCLK: its frequency, 0 if it stands still, and the time of its first edge.
struct RtcClock {
    std::uint64_t hz = 0;
    Time since = 0;
    bool operator==(const RtcClock &) const = default;
};

class Rtc {
  public:
    struct Wiring {
        std::function<void(bool)> alarm, wakeup;      // interrupts, as levels
        std::function<void(bool level, Time at)> out; // RTC_ALARM, at its pin
    };

    Rtc(EventQueue &events, std::uint64_t unit_hz, Wiring wiring);

    std::uint32_t load(std::uint32_t offset, Time at);
    // Returns why the store is lost, or nullptr.
    const char *store(std::uint32_t offset, std::uint32_t value, Time at);

    void set_clock(const RtcClock &clock, Time at);
    bool has_clock() const { return clock_.hz != 0; }
    // Of the backup domain.
    void reset(Time at);
    // The shadow registers are not copied in STOP, and again two edges after it.
    void stop(Time at);
    void wake(Time at);

  private:
    using Edge = std::uint64_t; // of RTCCLK, counted
    static constexpr Edge none = ~Edge{0};

    struct Calendar { // SSR, TR, DR
        std::uint32_t subsecond, time, date;
    };
    struct Moment {
        std::int64_t second;    // since the first of January of year 0
        std::uint32_t position; // in the second
    };
    struct Alarm {
        std::uint32_t value = 0, subsecond = 0;
        Edge next = none, free = 0; // it comes; it may be written
    };

    Edge edge_at(Time at) const;
    Time time_of(Edge edge) const;
    std::uint32_t subseconds() const { return (prescaler_ & 0x7FFF) + 1; }
    std::uint32_t edges_of_subsecond() const { return (prescaler_ >> 16 & 0x7F) + 1; }
    Moment moment(Edge edge) const;
    Edge edge_of(Moment moment) const;
    Calendar registers(Moment moment) const;
    Calendar shown(Edge edge);
    std::uint32_t status(Edge edge) const;
    bool initialises() const { return stopped_by_init_; }
    bool may_set_wakeup(Edge edge) const;
    bool may_set(const Alarm &alarm, unsigned number, Edge edge) const;

    void look(Edge edge);
    void plan(Edge edge);
    void tell(Time at);
    const char *store_unlocked(std::uint32_t offset, std::uint32_t value, Edge edge);
    const char *store_control(std::uint32_t value, Edge edge);
    const char *store_status(std::uint32_t value, Edge edge);
    void begin_wakeup(Edge edge);
    void set_moment(std::uint32_t time, std::uint32_t date);
    Edge next_of(const Alarm &alarm, Edge after) const;
    std::optional<std::uint32_t> position_of(const Alarm &alarm, std::uint32_t from) const;

    EventQueue &events_;
    const std::uint64_t unit_hz_;
    const Wiring wiring_;
    RtcClock clock_;
    Edge first_ = 0; // count at clock_.since
    std::uint64_t plan_ = 0;

    std::uint32_t control_ = 0, flags_ = 0, prescaler_ = 0x7F'00FF;
    std::uint32_t time_ = 0, date_ = 0x2101; // as stored in initialization mode
    // The calendar counts from here.
    std::int64_t start_ = 0, shift_ = 0;
    unsigned weekday_ = 1; // of day `weekday_of_`
    std::int64_t weekday_of_ = 0;
    Edge base_ = 0;
    bool init_ = false, stopped_by_init_ = false;
    Edge init_at_ = none;
    Edge copied_ = 2; // RSF
    std::optional<Calendar> held_, stale_;
    Edge stale_until_ = none;
    std::array<Alarm, 2> alarms_{};
    std::uint32_t reload_ = 0xFFFF;
    Edge wakeup_next_ = none, wakeup_free_ = 0;
    unsigned key_ = 0; // keys stored in WPR; 2: unlocked
    bool out_ = false;
    std::array<std::uint32_t, 20> backup_{};
    std::uint32_t calibration_[2] = {}, tampers_ = 0; // kept alone
};

} // namespace twin::stm32
