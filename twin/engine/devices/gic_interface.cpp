// The CPU interfaces of a Gic, register by register.

#include "core/core.h"
#include "devices/gic.h"

#include <algorithm>
#include <bit>

namespace twin {

namespace {

constexpr std::uint32_t gicc_ctlr = 0x00, gicc_pmr = 0x04, gicc_bpr = 0x08, gicc_iar = 0x0C;
constexpr std::uint32_t gicc_eoir = 0x10, gicc_rpr = 0x14, gicc_hppir = 0x18, gicc_abpr = 0x1C;
constexpr std::uint32_t gicc_aiar = 0x20, gicc_aeoir = 0x24, gicc_ahppir = 0x28;
constexpr std::uint32_t gicc_apr0 = 0xD0, gicc_nsapr0 = 0xE0, gicc_iidr = 0xFC;

constexpr std::uint32_t control_bits[] = {0x1F, 0x7FF}; // of GICC_CTLR, of architecture 1, 2

// Bits of GICC_CTLR as a non-secure access numbers them, and where they are (IHI 0048B, 4.4.1).
constexpr unsigned not_secure_bits[][2] = {{0, 1}, {5, 7}, {6, 8}, {9, 10}};

std::uint32_t to_not_secure(std::uint32_t control) {
    std::uint32_t value = 0;
    for (auto [from, to] : not_secure_bits)
        value |= (control >> to & 1) << from;
    return value;
}

std::uint32_t from_not_secure(std::uint32_t control, std::uint32_t value) {
    for (auto [from, to] : not_secure_bits)
        control = (control & ~(1u << to)) | (value >> from & 1) << to;
    return control;
}

constexpr std::uint32_t lower_half = 0x80; // of priorities: all that a non-secure access sees

} // namespace

std::uint32_t Gic::load_interface(const Access &access, unsigned core, std::uint32_t offset) {
    auto &interface = interfaces_[core];
    bool secure = access.secure;
    auto half = [](std::uint32_t priority) {
        return priority < lower_half ? 0 : priority << 1 & 0xFF;
    };
    switch (offset) {
    case gicc_ctlr:
        return secure ? interface.control : to_not_secure(interface.control);
    case gicc_pmr:
        return secure ? interface.mask : half(interface.mask);
    case gicc_bpr:
        if (secure)
            return interface.binary_point;
        return interface.control & common_binary_point ? std::min(interface.binary_point + 1, 7u)
                                                       : interface.binary_point1;
    case gicc_abpr:
        return secure ? interface.binary_point1 : 0;
    case gicc_rpr: {
        unsigned priority = running_priority(core);
        return secure || priority == 0xFF ? priority : half(priority);
    }
    case gicc_apr0:
        if (kind_.version == 1)
            return 0;
        return secure ? interface.active : interface.active >> 16;
    case gicc_nsapr0:
        if (kind_.version == 1 || !secure)
            return 0;
        return interface.active >> 16;
    case gicc_aiar:
    case gicc_ahppir:
        if (kind_.version == 1 || !secure)
            return 0;
        break;
    case gicc_iidr:
        return kind_.interface_id;
    default:
        return 0; // reserved
    case gicc_hppir: {
        unsigned id = first(core);
        if (id == GicQueue::none)
            return spurious;
        const auto &interrupt = at(core, id);
        if (!secure && !interrupt.group1)
            return spurious;
        if (secure && interrupt.group1 && !(interface.control & ack_control))
            return other_group;
        return id < 16 ? id | static_cast<unsigned>(std::countr_zero(interrupt.sources)) << 10 : id;
    }
    case gicc_iar: {
        std::uint32_t value = acknowledge(core, secure, !secure);
        update(access.core->time());
        return value;
    }
    }
    // The aliases: group 1, from the secure state.
    if (offset == gicc_aiar) {
        std::uint32_t value = acknowledge(core, false, true);
        update(access.core->time());
        return value;
    }
    unsigned id = first(core);
    return id == GicQueue::none || !at(core, id).group1 ? spurious : id;
}

void Gic::store_interface(const Access &access, unsigned core, std::uint32_t offset,
                          std::uint32_t value) {
    auto &interface = interfaces_[core];
    bool secure = access.secure;
    switch (offset) {
    case gicc_ctlr:
        interface.control = (secure ? value : from_not_secure(interface.control, value)) &
                            control_bits[kind_.version - 1];
        break;
    case gicc_pmr:
        if (secure)
            interface.mask = value & priority_bits;
        else if (interface.mask >= lower_half)
            interface.mask = (lower_half | value >> 1) & priority_bits;
        break;
    case gicc_bpr:
        if (secure)
            interface.binary_point = std::max(value & 7, 2u);
        else if (!(interface.control & common_binary_point))
            interface.binary_point1 = std::max(value & 7, 3u);
        break;
    case gicc_abpr:
        if (secure)
            interface.binary_point1 = std::max(value & 7, 3u);
        break;
    case gicc_aeoir:
        if (kind_.version == 1 || !secure)
            break;
        [[fallthrough]];
    case gicc_eoir:
        end(access, core, value);
        break;
    case gicc_apr0:
        if (kind_.version == 2)
            interface.active = secure ? value : (interface.active & 0xFFFF) | value << 16;
        break;
    case gicc_nsapr0:
        if (kind_.version == 2 && secure)
            interface.active = (interface.active & 0xFFFF) | value << 16;
        break;
    default:
        break; // reserved, or read-only
    }
}

// `secure`: AckCtl says whether an interrupt of group 1 may be read. `group1`: only such a one.
std::uint32_t Gic::acknowledge(unsigned core, bool secure, bool group1) {
    auto &interface = interfaces_[core];
    unsigned id = first(core);
    if (!signals(core, id))
        return spurious;
    auto &interrupt = at(core, id);
    if (group1 && !interrupt.group1)
        return spurious;
    if (secure && interrupt.group1 && !(interface.control & ack_control))
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
    if (!access.secure && id < kind_.ids && !at(core, id).group1)
        return; // of group 0: ignored
    if (id >= kind_.ids || !(at(core, id).active >> core & 1))
        refuse_access(*this, access, "end of an interrupt that is not active here");
    interface.active &= interface.active - 1; // drops the running priority
    if (!(interface.control & (access.secure ? eoi_mode : eoi_mode_not_secure)))
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
