#include "devices/stm32/rtc.h"

#include <algorithm>
#include <chrono>

namespace twin::stm32 {

namespace {

// Offsets.
constexpr std::uint32_t tr = 0x00, dr = 0x04, cr = 0x08, isr = 0x0C, prer = 0x10, wutr = 0x14;
constexpr std::uint32_t calibr = 0x18, alrmar = 0x1C, alrmbr = 0x20, wpr = 0x24, ssr = 0x28;
constexpr std::uint32_t shiftr = 0x2C, calr = 0x3C, tafcr = 0x40, alrmassr = 0x44, alrmbssr = 0x48;
constexpr std::uint32_t bkp0r = 0x50, bkp19r = 0x9C;

// Bits of CR.
constexpr std::uint32_t wucksel = 7, refckon = 1u << 4, bypshad = 1u << 5, fmt = 1u << 6;
constexpr std::uint32_t dce = 1u << 7, alrae = 1u << 8, wute = 1u << 10, alraie = 1u << 12;
constexpr std::uint32_t wutie = 1u << 14, add1h = 1u << 16, sub1h = 1u << 17, pol = 1u << 20;
// Bits of ISR.
constexpr std::uint32_t wutwf = 4, inits = 1u << 4, rsf = 1u << 5, initf = 1u << 6;
constexpr std::uint32_t init = 1u << 7, alraf = 1u << 8, wutf = 1u << 10, stored_flags = 0x3F00;

constexpr std::int64_t day_seconds = 86400, longest_search = 62 * day_seconds;
constexpr const char *locked = "the keys 0xCA and 0x53 have not been stored to RTC_WPR";
constexpr const char *not_init = "INITF of RTC_ISR is 0";

std::uint32_t bcd(unsigned value) { return value / 10 << 4 | value % 10; }
unsigned from_bcd(std::uint32_t value) { return (value >> 4) * 10 + (value & 15); }

std::int64_t floor_of(std::int64_t value, std::int64_t by) {
    return value / by - (value % by < 0 ? 1 : 0);
}

std::chrono::sys_days first_day() {
    return std::chrono::sys_days{std::chrono::year{2000} / std::chrono::January / 1};
}

} // namespace

Rtc::Rtc(EventQueue &events, std::uint64_t unit_hz, Wiring wiring)
    : events_(events), unit_hz_(unit_hz), wiring_(std::move(wiring)) {}

// ---- edges of RTCCLK ----

Rtc::Edge Rtc::edge_at(Time at) const {
    if (!clock_.hz || at < clock_.since)
        return first_;
    using Wide = unsigned __int128;
    return first_ + static_cast<Edge>(Wide{at - clock_.since} * clock_.hz / unit_hz_);
}

Time Rtc::time_of(Edge edge) const {
    using Wide = unsigned __int128;
    Wide units = Wide{edge - first_} * unit_hz_ + clock_.hz - 1;
    return clock_.since + static_cast<Time>(units / clock_.hz);
}

void Rtc::set_clock(const RtcClock &clock, Time at) {
    if (clock == clock_)
        return;
    first_ = edge_at(at);
    look(first_);
    clock_ = clock;
    if (clock_.hz)
        clock_.since = std::max(clock_.since, at);
    plan(first_);
}

void Rtc::reset(Time at) {
    Edge edge = edge_at(at);
    control_ = flags_ = 0;
    prescaler_ = 0x7F'00FF;
    start_ = shift_ = weekday_of_ = 0;
    weekday_ = 1;
    base_ = edge;
    init_ = stopped_by_init_ = false;
    init_at_ = none;
    copied_ = edge + 2;
    held_.reset();
    stale_.reset();
    alarms_ = {};
    reload_ = 0xFFFF;
    wakeup_next_ = none;
    wakeup_free_ = 0;
    key_ = 0;
    backup_.fill(0);
    plan(edge);
    tell(at);
}

// ---- calendar ----

Rtc::Moment Rtc::moment(Edge edge) const {
    Edge elapsed = stopped_by_init_ || edge < base_ ? 0 : edge - base_;
    std::int64_t passed = shift_ + static_cast<std::int64_t>(elapsed / edges_of_subsecond());
    std::int64_t seconds = floor_of(passed, subseconds());
    return {start_ + seconds, static_cast<std::uint32_t>(passed - seconds * subseconds())};
}

Rtc::Edge Rtc::edge_of(Moment moment) const {
    std::int64_t passed = (moment.second - start_) * subseconds() + moment.position - shift_;
    return base_ + static_cast<Edge>(std::max<std::int64_t>(passed, 0)) * edges_of_subsecond();
}

Rtc::Calendar Rtc::registers(Moment moment) const {
    std::int64_t day = floor_of(moment.second, day_seconds);
    auto second = static_cast<unsigned>(moment.second - day * day_seconds);
    unsigned hour = second / 3600;
    std::uint32_t time = bcd(second / 60 % 60) << 8 | bcd(second % 60);
    if (control_ & fmt)
        time |= bcd(hour % 12 ? hour % 12 : 12) << 16 | (hour >= 12 ? 1u << 22 : 0);
    else
        time |= bcd(hour) << 16;
    std::chrono::year_month_day when{first_day() + std::chrono::days{day}};
    std::int64_t weeks = day - weekday_of_ + weekday_ - 1;
    auto weekday = static_cast<unsigned>(weeks - floor_of(weeks, 7) * 7) + 1;
    auto year = static_cast<unsigned>(static_cast<int>(when.year()) - 2000) % 100;
    std::uint32_t date = bcd(year) << 16 | weekday << 13 |
                         bcd(static_cast<unsigned>(when.month())) << 8 |
                         bcd(static_cast<unsigned>(when.day()));
    return {subseconds() - 1 - moment.position, time, date};
}

// TR and DR of initialization mode.
void Rtc::set_moment(std::uint32_t time, std::uint32_t date) {
    unsigned hour = from_bcd(time >> 16 & 0x3F);
    if (control_ & fmt)
        hour = hour % 12 + (time >> 22 & 1 ? 12 : 0);
    std::int64_t second = hour * 3600 + from_bcd(time >> 8 & 0x7F) * 60 + from_bcd(time & 0x7F);
    unsigned month = std::clamp(from_bcd(date >> 8 & 0x1F), 1u, 12u);
    std::chrono::year_month_day when{
        std::chrono::year{2000 + static_cast<int>(from_bcd(date >> 16 & 0xFF))},
        std::chrono::month{month}, std::chrono::day{std::max(1u, from_bcd(date & 0x3F))}};
    std::int64_t day = (std::chrono::sys_days{when} - first_day()).count();
    weekday_ = std::max(1u, date >> 13 & 7);
    weekday_of_ = day;
    start_ = day * day_seconds + second;
    shift_ = 0;
}

// The shadow registers, unless they are bypassed.
Rtc::Calendar Rtc::shown(Edge edge) {
    if (control_ & bypshad)
        return registers(moment(edge));
    if (held_)
        return *held_;
    if (stale_ && edge < stale_until_)
        return *stale_;
    stale_.reset();
    return registers(moment(std::max(edge & ~Edge{1}, base_)));
}

void Rtc::stop(Time at) {
    Edge edge = edge_at(at);
    look(edge);
    stale_ = shown(edge);
    stale_until_ = none;
}

void Rtc::wake(Time at) { stale_until_ = edge_at(at) + 2; }

// ---- alarms, wake-up timer ----

// Position in a second from `from` on at which an alarm for that second comes.
std::optional<std::uint32_t> Rtc::position_of(const Alarm &alarm, std::uint32_t from) const {
    unsigned compared = alarm.subsecond >> 24 & 15;
    if (!compared)
        return from == 0 ? std::optional<std::uint32_t>{0} : std::nullopt;
    std::uint32_t mask = (1u << compared) - 1;
    for (std::uint32_t at = from; at < subseconds(); ++at)
        if (((subseconds() - 1 - at) & mask) == (alarm.subsecond & mask))
            return at;
    return {};
}

Rtc::Edge Rtc::next_of(const Alarm &alarm, Edge after) const {
    if (!position_of(alarm, 0))
        return none;
    Moment now = moment(after);
    std::uint32_t value = alarm.value;
    bool any_second = value >> 7 & 1, any_minute = value >> 15 & 1, any_hour = value >> 23 & 1;
    bool any_day = value >> 31 & 1, is_weekday = value >> 30 & 1;
    for (std::int64_t second = now.second; second < now.second + longest_search;) {
        Calendar found = registers({second, 0});
        std::uint32_t day = is_weekday ? found.date >> 13 & 7 : found.date & 0x3F;
        std::uint32_t wanted = is_weekday ? value >> 24 & 15 : value >> 24 & 0x3F;
        std::uint32_t differs = found.time ^ value;
        if ((!any_day && day != wanted) || (!any_hour && differs & 0x7F'0000)) {
            second = (floor_of(second, 3600) + 1) * 3600;
            continue;
        }
        if (!any_minute && differs & 0x7F00) {
            second = (floor_of(second, 60) + 1) * 60;
            continue;
        }
        if (any_second || !(differs & 0x7F)) {
            std::uint32_t from = second == now.second ? now.position + 1 : 0;
            if (auto position = position_of(alarm, from))
                return edge_of({second, *position});
        }
        ++second;
    }
    return none;
}

// The first period and all further ones are equally long; ck_spre is counted by whole seconds.
void Rtc::begin_wakeup(Edge edge) {
    Edge counts = Edge{reload_} + 1;
    unsigned source = control_ & wucksel;
    if (source < 4) {
        wakeup_next_ = edge + (counts << (4 - source));
        return;
    }
    if (source & 2)
        counts += 0x1'0000;
    wakeup_next_ = edge_of({moment(edge).second + static_cast<std::int64_t>(counts), 0});
}

bool Rtc::may_set_wakeup(Edge edge) const { return !(control_ & wute) && edge >= wakeup_free_; }

bool Rtc::may_set(const Alarm &alarm, unsigned number, Edge edge) const {
    return initialises() || (!(control_ & alrae << number) && edge >= alarm.free);
}

// What has happened by this edge.
void Rtc::look(Edge edge) {
    if (init_ && !stopped_by_init_ && edge >= init_at_) {
        Moment now = moment(init_at_);
        Calendar found = registers(now);
        time_ = found.time;
        date_ = found.date;
        start_ = now.second;
        shift_ = 0;
        stopped_by_init_ = true;
        held_.reset();
    }
    for (unsigned n = 0; n < 2; ++n) {
        Alarm &alarm = alarms_[n];
        if (alarm.next > edge)
            continue;
        flags_ |= alraf << n;
        alarm.next = initialises() ? none : next_of(alarm, edge);
    }
    while (wakeup_next_ <= edge) {
        flags_ |= wutf;
        begin_wakeup(wakeup_next_);
    }
}

// The event of an earlier plan is void.
void Rtc::plan(Edge edge) {
    std::uint64_t number = ++plan_;
    bool counts = clock_.hz && !initialises();
    for (unsigned n = 0; n < 2; ++n)
        alarms_[n].next = counts && control_ & alrae << n ? next_of(alarms_[n], edge) : none;
    if (!(control_ & wute))
        wakeup_next_ = none;
    Edge next = std::min({alarms_[0].next, alarms_[1].next, wakeup_next_});
    if (!clock_.hz || next == none)
        return;
    Time at = time_of(next);
    events_.post(std::max(at, events_.now()), [this, number, next, at] {
        if (number != plan_)
            return;
        look(next);
        tell(at);
        plan(next);
    });
}

void Rtc::tell(Time at) {
    bool alarm = false;
    for (unsigned n = 0; n < 2; ++n)
        alarm = alarm || (flags_ & alraf << n && control_ & alraie << n);
    unsigned source = control_ >> 21 & 3;
    bool level = source && ((flags_ >> (7 + source) & 1) != 0) != ((control_ & pol) != 0);
    if (level != out_)
        wiring_.out(level, at);
    out_ = level;
    wiring_.alarm(alarm);
    wiring_.wakeup(flags_ & wutf && control_ & wutie);
}

// ---- registers ----

std::uint32_t Rtc::status(Edge edge) const {
    std::uint32_t value = flags_;
    for (unsigned n = 0; n < 2; ++n)
        value |= static_cast<std::uint32_t>(may_set(alarms_[n], n, edge)) << n;
    if (may_set_wakeup(edge))
        value |= wutwf;
    if (registers(moment(edge)).date >> 16)
        value |= inits;
    if (edge >= copied_ && !initialises() && !(control_ & bypshad))
        value |= rsf;
    return value | (init_ ? init : 0) | (initialises() ? initf : 0);
}

std::uint32_t Rtc::load(std::uint32_t offset, Time at) {
    Edge edge = edge_at(at);
    look(edge);
    if (offset >= bkp0r && offset <= bkp19r)
        return backup_[(offset - bkp0r) / 4];
    switch (offset) {
    case tr:
    case ssr: {
        if (initialises())
            return offset == tr ? time_ : subseconds() - 1;
        Calendar found = shown(edge);
        if (!(control_ & bypshad))
            held_ = found; // until DR is read
        return offset == tr ? found.time : found.subsecond;
    }
    case dr: {
        if (initialises())
            return date_;
        std::uint32_t value = shown(edge).date;
        held_.reset();
        return value;
    }
    case cr:
        return control_;
    case isr:
        return status(edge);
    case prer:
        return prescaler_;
    case wutr:
        return reload_;
    case alrmar:
    case alrmbr:
        return alarms_[(offset - alrmar) / 4].value;
    case alrmassr:
    case alrmbssr:
        return alarms_[(offset - alrmassr) / 4].subsecond;
    case calibr:
        return calibration_[0];
    case calr:
        return calibration_[1];
    case tafcr:
        return tampers_;
    default:
        return 0;
    }
}

const char *Rtc::store(std::uint32_t offset, std::uint32_t value, Time at) {
    Edge edge = edge_at(at);
    look(edge);
    const char *lost = nullptr;
    if (offset >= bkp0r && offset <= bkp19r)
        backup_[(offset - bkp0r) / 4] = value;
    else if (offset == tafcr)
        tampers_ = value;
    else if (offset == wpr)
        key_ = value == 0xCA ? 1 : value == 0x53 && key_ == 1 ? 2 : 0;
    else if (offset == isr)
        lost = store_status(value, edge);
    else if (key_ != 2)
        lost = locked;
    else
        lost = store_unlocked(offset, value, edge);
    plan(edge);
    tell(at);
    return lost;
}

const char *Rtc::store_unlocked(std::uint32_t offset, std::uint32_t value, Edge edge) {
    switch (offset) {
    case tr:
    case dr:
    case prer:
        if (!initialises())
            return not_init;
        (offset == tr   ? time_
         : offset == dr ? date_
                        : prescaler_) = value & (offset == tr   ? 0x7F'7F7F
                                                 : offset == dr ? 0xFF'FF3F
                                                                : 0x7F'7FFF);
        if (offset != prer)
            set_moment(time_, date_);
        return nullptr;
    case cr:
        return store_control(value, edge);
    case wutr:
        if (!may_set_wakeup(edge))
            return "WUTWF of RTC_ISR is 0";
        reload_ = value & 0xFFFF;
        return nullptr;
    case alrmar:
    case alrmbr:
    case alrmassr:
    case alrmbssr: {
        bool fine = offset >= alrmassr;
        unsigned number = (offset - (fine ? alrmassr : alrmar)) / 4;
        if (!may_set(alarms_[number], number, edge))
            return number ? "ALRBWF of RTC_ISR is 0" : "ALRAWF of RTC_ISR is 0";
        (fine ? alarms_[number].subsecond : alarms_[number].value) = value;
        return nullptr;
    }
    case shiftr:
        shift_ += (value >> 31 ? subseconds() : 0) - std::int64_t{value & 0x7FFF};
        copied_ = edge + 2;
        return nullptr;
    case calibr:
        calibration_[0] = value;
        return nullptr;
    case calr:
        calibration_[1] = value;
        return nullptr;
    default:
        return nullptr;
    }
}

const char *Rtc::store_control(std::uint32_t value, Edge edge) {
    std::uint32_t fixed = initialises() ? 0 : refckon | fmt | dce;
    if (!may_set_wakeup(edge))
        fixed |= wucksel;
    std::uint32_t before = control_, refused = (value ^ before) & fixed;
    control_ = (value & 0xFC'FFFF & ~fixed) | (before & fixed);
    if (value & (add1h | sub1h))
        start_ += value & add1h ? 3600 : -3600;
    for (unsigned n = 0; n < 2; ++n)
        if (before & ~control_ & alrae << n)
            alarms_[n].free = edge + 2;
    if (before & ~control_ & wute)
        wakeup_free_ = edge + 2;
    if (~before & control_ & wute)
        begin_wakeup(edge);
    if (!refused)
        return nullptr;
    return refused & wucksel ? "WUTWF of RTC_ISR is 0, or WUTE is 1" : not_init;
}

// The flags of alarms and timer are not protected.
const char *Rtc::store_status(std::uint32_t value, Edge edge) {
    flags_ &= value | ~stored_flags;
    if (key_ != 2)
        return value & init && !init_ ? locked : nullptr;
    if (!(value & rsf))
        copied_ = (edge & ~Edge{1}) + 2;
    if (value & init && !init_) {
        init_ = true;
        init_at_ = edge + 2;
    } else if (!(value & init) && init_) {
        init_ = false;
        if (stopped_by_init_)
            base_ = edge + 4;
        stopped_by_init_ = false;
        copied_ = (base_ & ~Edge{1}) + 2;
    }
    return nullptr;
}

} // namespace twin::stm32
