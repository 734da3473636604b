#include "devices/stm.h"

#include "devices/etf.h"
#include "devices/timestamps.h"

namespace twin {

namespace {

constexpr unsigned heer = 0xD00, heter = 0xD20, hebsr = 0xD60, hemcr = 0xD64, hefeat1r = 0xDF8,
                   sper = 0xE00, spscr = 0xE60, tcsr = 0xE80, syncr = 0xE90, authstatus = 0xFB8;
constexpr std::uint32_t hefeat1r_value = 0x0002'0035; // UG1087
constexpr std::uint32_t snid_enabled = 3u << 6, snid_disabled = 2u << 6;
constexpr unsigned first_upper = 32;       // hardware event of the upper bank's bit 0
constexpr unsigned hardware_master = 0x80; // the first after software's 128

} // namespace

Stm::Stm(const DebugBus &bus, std::uint64_t base, bool traced, const Timestamps &timestamps,
         Etf &etf)
    : CoreSight(bus, base, 0x963), traced_(traced), timestamps_(timestamps), etf_(etf),
      writer_([this](std::uint8_t byte) { etf_.take(control_word_ >> 16 & 0x7F, byte); }) {
    etf.attach([this] { flush(); });
}

void Stm::stimulus(unsigned master, unsigned port, std::uint8_t value, Time time) {
    if (enabled() && (ports_ >> port % 32 & 1) && traced_)
        writer_.data8(master, port, value, timestamps_.at(time));
}

void Stm::event(unsigned line, Time time) {
    if (enabled() && (event_control_ & 1) && (events_ >> line & 1))
        writer_.data8(hardware_master, 0, static_cast<std::uint8_t>(first_upper + line),
                      timestamps_.at(time));
}

std::uint32_t *Stm::register_at(unsigned offset) {
    switch (offset) {
    case heer:
        return &events_;
    case heter:
        return &triggers_;
    case hebsr:
        return &bank_;
    case hemcr:
        return &event_control_;
    case sper:
        return &ports_;
    case spscr:
        return &port_select_;
    case tcsr:
        return &control_word_;
    case syncr:
        return &sync_;
    }
    return nullptr;
}

std::uint32_t Stm::read(const Access &access, unsigned offset, Time) {
    if (offset == hefeat1r)
        return hefeat1r_value;
    if (offset == authstatus)
        return traced_ ? snid_enabled : snid_disabled;
    if (auto *value = register_at(offset))
        return *value;
    refuse_access(*this, access, "no such register");
}

bool Stm::writable(unsigned offset) const {
    return const_cast<Stm *>(this)->register_at(offset) != nullptr;
}

// Only the upper bank of events is modelled: the PL's are there.
void Stm::write(unsigned offset, std::uint32_t value, Time) {
    if ((offset == heer || offset == heter) && bank_ != 1)
        return;
    bool before = enabled();
    *register_at(offset) = value;
    if (!before && enabled())
        writer_.begin(sync_);
    if (before && !enabled())
        flush();
}

} // namespace twin
