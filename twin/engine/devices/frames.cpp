#include "devices/frames.h"

namespace twin {

namespace {

// A source is named again after so many frames, for a reader that begins in the middle.
constexpr unsigned frames_to_name = 8;

} // namespace

void Frames::begin() {
    frame_ = {};
    place_ = source_ = frames_ = 0;
}

// Bytes in even places hold seven bits, or a source's number; byte 15 has what they lack.
void Frames::put(std::uint8_t byte) {
    if (place_ % 2 == 0) {
        frame_[place_] = byte & 0xFE;
        frame_[15] |= static_cast<std::uint8_t>((byte & 1) << place_ / 2);
    } else {
        frame_[place_] = byte;
    }
    next();
}

// The bytes after it are the source's.
void Frames::name(unsigned source) {
    source_ = source;
    frame_[place_] = static_cast<std::uint8_t>(source << 1 | 1);
    next();
}

void Frames::next() {
    if (++place_ < 15)
        return;
    take_(frame_);
    frame_ = {};
    place_ = 0;
    ++frames_;
}

void Frames::add(unsigned source, std::uint8_t byte) {
    bool again = place_ == 0 && frames_ % frames_to_name == 0;
    if (source != source_ && place_ % 2)
        put(0); // of the source before: there is but one here, and it is the first
    if (source != source_ || again)
        name(source);
    put(byte);
}

// Source 0 does not exist. A source can be named only in an even place: a zero byte, which is two
// empty packets of an STM, fills an odd one.
void Frames::flush() {
    if (place_ % 2)
        put(0);
    if (place_ == 0)
        return;
    name(0);
    while (place_ != 0)
        put(0);
}

} // namespace twin
