#include "devices/stm32/clocks.h"

namespace twin::stm32 {

namespace {

// Offsets.
constexpr std::uint32_t cr = 0x00, pllcfgr = 0x04, cfgr = 0x08, bdcr = 0x70, csr = 0x74;
constexpr std::uint64_t lse_hz = 32'768;
constexpr std::uint32_t rtcsel = 3u << 8;
constexpr std::uint32_t pwr_cr = 0x00, pwr_csr = 0x04;

// Bits of CR that start HSI, HSE, PLL, PLLI2S, PLLSAI; each is ready by the next one.
constexpr unsigned start_bits[] = {0, 16, 24, 26, 28};
constexpr std::uint32_t ready_bits = 1u << 1 | 1u << 17 | 1u << 25 | 1u << 27 | 1u << 29;

unsigned bits(std::uint32_t value, unsigned low, unsigned width) {
    return value >> low & ((1u << width) - 1);
}

} // namespace

Clocks::Clocks(const ClockTimes &times, std::uint64_t hse_hz, std::function<void(Time)> changed)
    : times_(times), hse_hz_(hse_hz), changed_(std::move(changed)) {
    kept_[pllcfgr] = 0x2400'3010;
    kept_[csr] = 0x0E00'0000;
    kept_[0x30] = 0x0010'0000; // AHB1ENR
    kept_[0x50] = 0x7E67'91FF; // AHB1LPENR
    ready_at_.fill(never);
    ready_at_[0] = 0;
}

std::uint32_t Clocks::kept(std::uint32_t offset) const {
    auto found = kept_.find(offset);
    return found == kept_.end() ? 0 : found->second;
}

bool Clocks::enabled(std::uint32_t offset, unsigned bit) const { return kept(offset) >> bit & 1; }

std::uint64_t Clocks::source_hz(unsigned source) const {
    if (source == 0)
        return hsi_hz;
    if (source == 1)
        return hse_hz_;
    std::uint32_t value = kept(pllcfgr);
    std::uint64_t input = value >> 22 & 1 ? hse_hz_ : hsi_hz;
    unsigned divisor = bits(value, 0, 6), factor = bits(value, 6, 9);
    return input * factor / (divisor ? divisor : 1) / (2 * (bits(value, 16, 2) + 1));
}

// The source that SW asks for, once it is ready.
void Clocks::switch_to(Time at) {
    unsigned asked = bits(configuration_, 0, 2);
    if (asked == 3)
        asked = 2;
    if (ready(asked, at))
        used_ = asked;
    constexpr unsigned shifts[] = {1, 2, 3, 4, 6, 7, 8, 9};
    unsigned prescaler = bits(configuration_, 4, 4);
    std::uint64_t before = hz_;
    hz_ = source_hz(used_) >> (prescaler & 8 ? shifts[prescaler & 7] : 0);
    if (hz_ == 0)
        hz_ = before;
    changed_(at);
}

unsigned Clocks::ratio(unsigned bus) const {
    unsigned prescaler = bits(configuration_, bus ? 13 : 10, 3);
    return prescaler & 4 ? 2u << (prescaler & 3) : 1;
}

unsigned Clocks::timer_ratio(unsigned bus) const {
    unsigned found = ratio(bus);
    return found > 1 ? found / 2 : 1;
}

std::uint32_t Clocks::load_rcc(std::uint32_t offset, Time at) {
    switch (offset) {
    case cr: {
        std::uint32_t value = control_;
        for (unsigned source = 0; source < 5; ++source)
            if (ready(source, at))
                value |= 2u << start_bits[source];
        return value;
    }
    case cfgr:
        if (bits(configuration_, 0, 2) != used_)
            switch_to(at);
        return (configuration_ & ~12u) | used_ << 2;
    case bdcr:
        return kept(bdcr) | (at >= lse_at_ ? 2u : 0);
    case csr:
        return kept(csr) | (at >= lsi_at_ ? 2u : 0);
    default:
        return kept(offset);
    }
}

void Clocks::store_rcc(std::uint32_t offset, std::uint32_t value, Time at) {
    switch (offset) {
    case cr: {
        const Time starts[] = {times_.hsi_start, times_.hse_start, times_.pll_lock, times_.pll_lock,
                               times_.pll_lock};
        for (unsigned source = 0; source < 5; ++source) {
            bool on = value >> start_bits[source] & 1, was = control_ >> start_bits[source] & 1;
            if (on && !was)
                ready_at_[source] = at + starts[source];
            if (!on && source != used_)
                ready_at_[source] = never;
        }
        control_ = value & ~ready_bits;
        return;
    }
    case cfgr:
        configuration_ = value & ~12u;
        return switch_to(at);
    case bdcr:
        if (!opens_backup())
            return;
        if (value >> 16 & 1) // BDRST
            value = 1u << 16;
        else if (std::uint32_t source = kept(bdcr) & rtcsel) // until the next BDRST
            value = (value & ~rtcsel) | source;
        lse_at_ = !(value & 1) ? never : kept(bdcr) & 1 ? lse_at_ : at + times_.lse_start;
        kept_[bdcr] = value & ~2u;
        return;
    case csr:
        lsi_at_ = !(value & 1) ? never : kept(csr) & 1 ? lsi_at_ : at + times_.lsi_start;
        kept_[csr] = value & ~2u;
        return;
    default:
        kept_[offset] = value;
    }
}

std::uint32_t Clocks::load_pwr(std::uint32_t offset, Time at) {
    if (offset == pwr_cr)
        return power_;
    if (offset == pwr_csr)
        return kept(0x1000 + pwr_csr) | 1u << 14 | (at >= overdrive_at_ ? 1u << 16 : 0) |
               (at >= overdrive_switch_at_ ? 1u << 17 : 0);
    return 0;
}

void Clocks::store_pwr(std::uint32_t offset, std::uint32_t value, Time at) {
    if (offset == pwr_cr) {
        auto starts = [&](unsigned bit, Time &when) {
            if (!(value >> bit & 1))
                when = never;
            else if (!(power_ >> bit & 1))
                when = at + times_.regulator;
        };
        starts(16, overdrive_at_);
        starts(17, overdrive_switch_at_);
        power_ = value & ~0xCu; // CWUF and CSBF clear flags
    } else if (offset == pwr_csr) {
        kept_[0x1000 + pwr_csr] = value & 0x300;
    }
}

RtcClock Clocks::rtc_clock(bool stopped) const {
    auto from = [](std::uint64_t hz, Time since) {
        return since == never ? RtcClock{} : RtcClock{hz, since};
    };
    std::uint32_t value = kept(bdcr);
    unsigned divisor = bits(configuration_, 16, 5);
    if (!(value >> 15 & 1))
        return {};
    switch (bits(value, 8, 2)) {
    case 1:
        return from(lse_hz, lse_at_);
    case 2:
        return from(times_.lsi_hz, lsi_at_);
    case 3:
        return divisor < 2 || stopped ? RtcClock{} : from(hse_hz_ / divisor, ready_at_[1]);
    default:
        return {};
    }
}

void Clocks::stop(Time at) {
    control_ = (control_ & ~(1u << 16 | 1u << 24 | 1u << 26 | 1u << 28)) | 1;
    ready_at_.fill(never);
    ready_at_[0] = 0;
    configuration_ &= ~3u;
    power_ &= ~(3u << 16);
    overdrive_at_ = overdrive_switch_at_ = never;
    used_ = 0;
    switch_to(at);
}

} // namespace twin::stm32
