#include "devices/etf.h"

#include "devices/funnel.h"

#include <algorithm>
#include <cstring>

namespace twin {

namespace {

constexpr unsigned rsz = 0x004, sts = 0x00C, rrd = 0x010, ctl = 0x020, mode = 0x028, ffcr = 0x304;
constexpr unsigned memory_words = 2048;
constexpr std::uint32_t sts_full = 1u << 0, sts_ready = 1u << 2;
constexpr std::uint32_t ffcr_format = 1u << 0, ffcr_flush = 1u << 6, ffcr_stop_on_flush = 1u << 12;

} // namespace

Etf::Etf(const DebugBus &bus, std::uint64_t base, const Funnel &funnel)
    : CoreSight(bus, base, 0x961), funnel_(funnel), frames_([this](const Frames::Frame &frame) {
          for (unsigned at = 0; at < frame.size(); at += 4)
              std::memcpy(&memory_[written_++ % memory_words], &frame[at], 4);
      }),
      memory_(memory_words) {}

void Etf::take(unsigned source, std::uint8_t byte) {
    if (capturing_ && !stopped_ && funnel_.is_open() && (flush_control_ & ffcr_format))
        frames_.add(source, byte);
}

void Etf::start() {
    capturing_ = true;
    stopped_ = false;
    written_ = read_ = 0;
    frames_.begin();
}

void Etf::stop() {
    flush_source_();
    frames_.flush();
    stopped_ = true;
    read_ = written_ - std::min<std::uint64_t>(written_, memory_words);
}

std::uint32_t Etf::next_word() {
    if (!stopped_ || read_ == written_)
        return 0xFFFF'FFFF;
    return memory_[read_++ % memory_words];
}

std::uint32_t Etf::read(const Access &access, unsigned offset, Time) {
    switch (offset) {
    case rsz:
        return memory_words;
    case sts:
        return (written_ > memory_words ? sts_full : 0) | (stopped_ ? sts_ready : 0);
    case rrd:
        return next_word();
    case ctl:
        return capturing_;
    case mode:
        return 0;
    case ffcr:
        return flush_control_;
    }
    refuse_access(*this, access, "no such register");
}

bool Etf::writable(unsigned offset) const {
    return offset == ctl || offset == mode || offset == ffcr;
}

void Etf::write(unsigned offset, std::uint32_t value, Time) {
    if (offset == ffcr) {
        flush_control_ = value & ~ffcr_flush; // the flush is over at once
        if ((value & ffcr_flush) && (value & ffcr_stop_on_flush) && capturing_)
            stop();
    } else if (offset == ctl && (value & 1) && !capturing_) {
        start();
    } else if (offset == ctl && !(value & 1)) {
        capturing_ = false;
        stopped_ = true;
    }
}

} // namespace twin
