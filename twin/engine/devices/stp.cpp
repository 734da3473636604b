#include "devices/stp.h"

namespace twin {

namespace {

constexpr unsigned word_nibbles = 8;
constexpr unsigned async_ones = 21;
constexpr unsigned m8 = 0x1, c8 = 0x3, d8ts = 0xF4, version = 0xF00, freq = 0xF08;
constexpr unsigned natural_binary = 3; // VERSION: how timestamps are written
constexpr std::uint64_t timestamp_hz = 250'000'000;

} // namespace

void StpWriter::begin(unsigned sync_bytes) {
    nibbles_.clear();
    sync_bytes_ = sync_bytes;
    since_sync_ = 0;
    in_sync_ = false;
}

void StpWriter::number(std::uint64_t value, unsigned nibbles) {
    while (nibbles--)
        nibbles_.push_back(value >> 4 * nibbles & 0xF);
}

void StpWriter::synchronise() {
    nibbles_.insert(nibbles_.end(), async_ones, 0xF);
    number(0, 1);
    number(version, 3);
    number(natural_binary, 1);
    number(freq, 3);
    number(timestamp_hz, 8);
    master_ = channel_ = since_sync_ = 0;
    stamped_ = false;
    in_sync_ = true;
}

// As few of its low nibbles as change it from the last one to this; all of the first.
void StpWriter::stamp(std::uint64_t value) {
    unsigned nibbles = stamped_ ? 0 : 16;
    while (nibbles < 16 && value >> 4 * nibbles != last_stamp_ >> 4 * nibbles)
        ++nibbles;
    if (nibbles == 13)
        nibbles = 14;
    if (nibbles == 15)
        nibbles = 16;
    number(nibbles == 14 ? 0xD : nibbles == 16 ? 0xE : nibbles, 1);
    number(value, nibbles);
    last_stamp_ = value;
    stamped_ = true;
}

void StpWriter::data8(unsigned master, unsigned channel, std::uint8_t value, std::uint64_t when) {
    if (!in_sync_ || (sync_bytes_ && since_sync_ >= sync_bytes_))
        synchronise();
    if (master != master_) {
        number(m8, 1);
        number(master, 2);
        master_ = master;
        channel_ = 0;
    }
    if (channel != channel_) {
        number(c8, 1);
        number(channel, 2);
        channel_ = channel;
    }
    number(d8ts, 2);
    number(value, 2);
    stamp(when);
    send_words();
}

void StpWriter::send_words() {
    std::size_t whole = nibbles_.size() / word_nibbles * word_nibbles;
    for (std::size_t at = 0; at < whole; at += 2)
        take_(static_cast<std::uint8_t>(nibbles_[at] | nibbles_[at + 1] << 4));
    since_sync_ += static_cast<unsigned>(whole / 2);
    nibbles_.erase(nibbles_.begin(), nibbles_.begin() + static_cast<std::ptrdiff_t>(whole));
}

void StpWriter::flush() {
    while (nibbles_.size() % 2)
        number(0, 1); // a packet without meaning
    for (std::size_t at = 0; at < nibbles_.size(); at += 2)
        take_(static_cast<std::uint8_t>(nibbles_[at] | nibbles_[at + 1] << 4));
    since_sync_ += static_cast<unsigned>(nibbles_.size() / 2);
    nibbles_.clear();
}

} // namespace twin
