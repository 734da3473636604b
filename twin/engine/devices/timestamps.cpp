#include "devices/timestamps.h"

namespace twin {

namespace {

constexpr unsigned cntcr = 0x000, cntcvl = 0x008, cntcvu = 0x00C;

} // namespace

std::uint32_t Timestamps::read(const Access &access, unsigned offset, Time time) {
    switch (offset) {
    case cntcr:
        return runs_;
    case cntcvl:
        return static_cast<std::uint32_t>(at(time));
    case cntcvu:
        return static_cast<std::uint32_t>(at(time) >> 32);
    }
    refuse_access(*this, access, "no such register");
}

// It counts on from where it is; here it is never stopped.
void Timestamps::write(unsigned, std::uint32_t value, Time time) {
    if (!runs_ && (value & 1)) {
        runs_ = true;
        begin_ = align_up(time, cycle_);
    }
}

} // namespace twin
