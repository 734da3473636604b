// The CPU interfaces of a Gic, register by register.

#include "core/core.h"
#include "devices/gic.h"

#include <algorithm>
#include <bit>

namespace twin {

namespace {

constexpr std::uint32_t gicc_ctlr = 0x00, gicc_pmr = 0x04, gicc_bpr = 0x08, gicc_iar = 0x0C;
constexpr std::uint32_t gicc_eoir = 0x10, gicc_rpr = 0x14, gicc_hppir = 0x18, gicc_abpr = 0x1C;
constexpr std::uint32_t gicc_apr0 = 0xD0, gicc_iidr = 0xFC;

constexpr std::uint32_t control_bits[] = {0x1F, 0x7FF}; // of GICC_CTLR, of architecture 1, 2

} // namespace

std::uint32_t Gic::load_interface(const Access &access, unsigned core, std::uint32_t offset) {
    auto &interface = interfaces_[core];
    switch (offset) {
    case gicc_ctlr:
        return interface.control;
    case gicc_pmr:
        return interface.mask;
    case gicc_bpr:
        return interface.binary_point;
    case gicc_abpr:
        return interface.binary_point1;
    case gicc_rpr:
        return running_priority(core);
    case gicc_apr0:
        if (kind_.version == 1)
            break;
        return interface.active;
    case gicc_iidr:
        return kind_.interface_id;
    case gicc_hppir: {
        unsigned id = first(core);
        if (id == GicQueue::none)
            return spurious;
        const auto &interrupt = at(core, id);
        if (interrupt.group1 && !(interface.control & ack_control))
            return other_group;
        return id < 16 ? id | static_cast<unsigned>(std::countr_zero(interrupt.sources)) << 10 : id;
    }
    case gicc_iar: {
        std::uint32_t value = acknowledge(core);
        update(access.core->time());
        return value;
    }
    }
    refuse_access(*this, access, "no such register");
}

void Gic::store_interface(const Access &access, unsigned core, std::uint32_t offset,
                          std::uint32_t value) {
    auto &interface = interfaces_[core];
    switch (offset) {
    case gicc_ctlr:
        interface.control = value & control_bits[kind_.version - 1];
        break;
    case gicc_pmr:
        interface.mask = value & priority_bits;
        break;
    case gicc_bpr:
        interface.binary_point = std::max(value & 7, 2u);
        break;
    case gicc_abpr:
        interface.binary_point1 = std::max(value & 7, 3u);
        break;
    case gicc_eoir:
        end(access, core, value);
        break;
    case gicc_apr0:
        interface.active = value;
        break;
    }
}

bool Gic::interface_writable(std::uint32_t offset) const {
    return offset == gicc_ctlr || offset == gicc_pmr || offset == gicc_bpr || offset == gicc_eoir ||
           offset == gicc_abpr || (kind_.version == 2 && offset == gicc_apr0);
}

std::uint32_t Gic::acknowledge(unsigned core) {
    auto &interface = interfaces_[core];
    unsigned id = first(core);
    if (!signals(core, id))
        return spurious;
    auto &interrupt = at(core, id);
    if (interrupt.group1 && !(interface.control & ack_control))
        return other_group;
    std::uint32_t value = id;
    if (id < 16) {
        auto source = static_cast<unsigned>(std::countr_zero(interrupt.sources));
        interrupt.sources &= static_cast<std::uint8_t>(interrupt.sources - 1);
        value |= source << 10;
    }
    interrupt.latched = false;
    interrupt.active = static_cast<std::uint8_t>(interrupt.active | 1u << core);
    interface.active |= 1u << group_priority(core, interrupt) / 8;
    refresh(id);
    ++statistics_[core].acknowledged[id];
    return value;
}

void Gic::end(const Access &access, unsigned core, std::uint32_t value) {
    unsigned id = value & 0x3FF;
    if (id >= 1020)
        return; // special IDs: ignored
    auto &interface = interfaces_[core];
    if (id >= kind_.ids || !(at(core, id).active >> core & 1))
        refuse_access(*this, access, "end of an interrupt that is not active here");
    interface.active &= interface.active - 1; // drops the running priority
    if (!(interface.control & eoi_mode))
        deactivate(access, core, value);
}

void Gic::deactivate(const Access &access, unsigned core, std::uint32_t value) {
    unsigned id = value & 0x3FF;
    if (id >= kind_.ids || !at(core, id).active)
        refuse_access(*this, access, "deactivation of an interrupt that is not active");
    at(core, id).active = 0;
    refresh(id);
}

} // namespace twin
