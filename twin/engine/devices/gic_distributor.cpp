// The distributor of a Gic, register by register.

#include "core/core.h"
#include "devices/gic.h"

#include <bit>

namespace twin {

namespace {

constexpr std::uint32_t gicd_ctlr = 0x000, gicd_typer = 0x004, gicd_iidr = 0x008;
constexpr std::uint32_t gicd_igroupr = 0x080, gicd_isenabler = 0x100, gicd_icenabler = 0x180;
constexpr std::uint32_t gicd_ispendr = 0x200, gicd_icpendr = 0x280;
constexpr std::uint32_t gicd_isactiver = 0x300, gicd_icactiver = 0x380;
constexpr std::uint32_t gicd_ipriorityr = 0x400, gicd_itargetsr = 0x800, gicd_icfgr = 0xC00;
constexpr std::uint32_t gicd_ppisr = 0xD00, gicd_spisr = 0xD04, gicd_sgir = 0xF00;
constexpr std::uint32_t gicd_cpendsgir = 0xF10, gicd_spendsgir = 0xF20;
constexpr std::uint32_t gicd_identification = 0xFD0;

// Registers are there for each ID; those of IDs that are not there are RAZ/WI (IHI 0048B, 4.3).
constexpr std::uint32_t every_id = 1024, bank = every_id / 8;

// Read-only configuration of the SGIs.
constexpr std::uint32_t icfgr_sgi = 0xAAAAAAAA;

bool within(std::uint32_t offset, std::uint32_t base, std::uint32_t size) {
    return offset >= base && offset < base + size;
}

// A priority of group 1 as a non-secure access sees it, and back (IHI 0048B, 4.4.11).
std::uint8_t not_secure(std::uint8_t priority) { return static_cast<std::uint8_t>(priority << 1); }
std::uint8_t of_not_secure(std::uint8_t priority) {
    return static_cast<std::uint8_t>(0x80 | priority >> 1);
}

} // namespace

std::uint32_t Gic::load_distributor(const Access &access, unsigned core, std::uint32_t offset) {
    // Of group 0 the non-secure view has nothing.
    auto seen = [&](unsigned id) {
        return kind_.exists(id) && (access.secure || at(core, id).group1);
    };
    // One bit for each ID.
    auto bits = [&](std::uint32_t base, auto bit) {
        std::uint32_t value = 0;
        unsigned first = (offset - base) * 8;
        for (unsigned i = 0; i < 32; ++i)
            if (seen(first + i) && bit(first + i, at(core, first + i)))
                value |= 1u << i;
        return value;
    };
    // One byte for each ID; byte and word accesses.
    auto bytes = [&](std::uint32_t base, auto byte) {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < access.size; ++i) {
            unsigned id = offset - base + i;
            if (seen(id))
                value |= std::uint32_t{byte(id, at(core, id))} << 8 * i;
        }
        return value;
    };
    if (within(offset, gicd_ipriorityr, every_id))
        return bytes(gicd_ipriorityr, [&](unsigned, const Interrupt &i) {
            return access.secure ? i.priority : not_secure(i.priority);
        });
    if (within(offset, gicd_itargetsr, every_id))
        return bytes(gicd_itargetsr, [core](unsigned id, const Interrupt &i) {
            return id < 32 ? static_cast<std::uint8_t>(1u << core) : i.targets;
        });
    if (offset == gicd_ctlr && !access.secure)
        return enable1_;
    if (offset == gicd_ctlr)
        return std::uint32_t{enable0_} | std::uint32_t{enable1_} << 1;
    if (offset == gicd_typer)
        return kind_.typer;
    if (offset == gicd_iidr)
        return kind_.distributor_id;
    auto enabled = [](unsigned, const Interrupt &i) { return i.enabled; };
    auto is_pending = [this](unsigned id, const Interrupt &i) { return pending(id, i); };
    auto active = [](unsigned, const Interrupt &i) { return i.active != 0; };
    if (within(offset, gicd_igroupr, bank) && !access.secure)
        return 0;
    if (within(offset, gicd_igroupr, bank))
        return bits(gicd_igroupr, [](unsigned, const Interrupt &i) { return i.group1; });
    if (within(offset, gicd_isenabler, bank))
        return bits(gicd_isenabler, enabled);
    if (within(offset, gicd_icenabler, bank))
        return bits(gicd_icenabler, enabled);
    if (within(offset, gicd_ispendr, bank))
        return bits(gicd_ispendr, is_pending);
    if (within(offset, gicd_icpendr, bank))
        return bits(gicd_icpendr, is_pending);
    if (within(offset, gicd_isactiver, bank))
        return bits(gicd_isactiver, active);
    if (kind_.version == 2 && within(offset, gicd_icactiver, bank))
        return bits(gicd_icactiver, active);
    if (offset == gicd_icfgr)
        return icfgr_sgi;
    if (offset == gicd_icfgr + 4)
        return variants_.icfgr_even_zero ? kind_.icfgr_ppi & 0xAAAA'AAAA : kind_.icfgr_ppi;
    if (within(offset, gicd_icfgr, every_id / 4)) {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < 16; ++i) {
            unsigned id = (offset - gicd_icfgr) * 4 + i;
            if (!seen(id))
                continue;
            value |= (variants_.icfgr_even_zero ? 0u : 1u) << 2 * i;
            value |= std::uint32_t{shared_[id].edge} << (2 * i + 1);
        }
        return value;
    }
    if (offset == gicd_ppisr) { // bit n: PPI 16 + n
        std::uint32_t value = 0;
        for (unsigned id = kind_.first_ppi; id < 32; ++id)
            value |= std::uint32_t{private_[core][id].level} << (id - 16);
        if (variants_.ppisr == GicVariants::ppisr_zero)
            return 0;
        return variants_.ppisr == GicVariants::ppisr_pin ? value ^ kind_.active_low : value;
    }
    if (within(offset, gicd_spisr, (kind_.ids - 32) / 8)) {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < 32; ++i)
            value |= std::uint32_t{shared_[32 + (offset - gicd_spisr) * 8 + i].level} << i;
        return value;
    }
    if (kind_.version == 2 &&
        (within(offset, gicd_cpendsgir, 16) || within(offset, gicd_spendsgir, 16))) {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < 4; ++i)
            value |= std::uint32_t{private_[core][offset % 16 + i].sources} << 8 * i;
        return value;
    }
    if (within(offset, gicd_identification, 0x30)) // PIDR4 to 7, 0 to 3, CIDR
        return kind_.identification[(offset - gicd_identification) / 4];
    return 0; // reserved, or of IDs that are not there
}

void Gic::store_distributor(const Access &access, unsigned core, std::uint32_t offset,
                            std::uint32_t value) {
    bool secure = access.secure;
    auto seen = [&](unsigned id) { return kind_.exists(id) && (secure || at(core, id).group1); };
    auto bits = [&](std::uint32_t base, auto set) {
        unsigned first = (offset - base) * 8;
        for (unsigned i = 0; i < 32; ++i)
            if (seen(first + i) && value >> i & 1) {
                set(first + i, at(core, first + i));
                refresh(first + i);
            }
    };
    auto each_byte = [&](std::uint32_t base, auto set) {
        for (unsigned i = 0; i < access.size; ++i) {
            unsigned id = offset - base + i;
            if (seen(id))
                set(id, at(core, id), static_cast<std::uint8_t>(value >> 8 * i));
        }
    };
    if (within(offset, gicd_ipriorityr, every_id))
        return each_byte(gicd_ipriorityr, [&](unsigned id, Interrupt &, std::uint8_t byte) {
            set_priority(core, id, (secure ? byte : of_not_secure(byte)) & priority_bits);
        });
    if (within(offset, gicd_itargetsr, every_id))
        return each_byte(gicd_itargetsr, [&](unsigned id, Interrupt &i, std::uint8_t byte) {
            if (id < 32)
                return; // private: read-only
            i.targets = byte & kind_.every_core();
            refresh(id);
        });
    if (offset == gicd_ctlr) {
        if (secure)
            enable0_ = value & 1;
        enable1_ = secure ? value >> 1 & 1 : value & 1;
        for (unsigned id = 0; id < kind_.ids; ++id)
            refresh(id);
    } else if (within(offset, gicd_igroupr, bank)) {
        for (unsigned i = 0; i < 32; ++i) {
            unsigned id = (offset - gicd_igroupr) * 8 + i;
            if (!kind_.exists(id) || !secure)
                continue;
            at(core, id).group1 = value >> i & 1;
            refresh(id);
        }
    } else if (within(offset, gicd_isenabler, bank)) {
        bits(gicd_isenabler, [](unsigned, Interrupt &i) { i.enabled = true; });
    } else if (within(offset, gicd_icenabler, bank)) {
        bits(gicd_icenabler,
             [&](unsigned id, Interrupt &i) { i.enabled = id < 16 && !variants_.sgi_enables; });
    } else if (within(offset, gicd_ispendr, bank)) {
        bits(gicd_ispendr, [&](unsigned id, Interrupt &i) {
            if (id < 16)
                return; // SGIs: SPENDSGIR
            latch(id, i);
            ++statistics_[core].set_pending;
        });
    } else if (within(offset, gicd_icpendr, bank)) {
        bits(gicd_icpendr, [](unsigned, Interrupt &i) { i.latched = false; });
    } else if (within(offset, gicd_isactiver, bank)) {
        bits(gicd_isactiver, [core](unsigned, Interrupt &i) {
            i.active = static_cast<std::uint8_t>(i.active | 1u << core);
        });
    } else if (within(offset, gicd_icactiver, bank)) {
        bits(gicd_icactiver, [](unsigned, Interrupt &i) { i.active = 0; });
    } else if (within(offset, gicd_icfgr + 8, every_id / 4 - 8)) { // ICFGR0, 1 are read-only
        for (unsigned i = 0; i < 16; ++i) {
            unsigned id = (offset - gicd_icfgr) * 4 + i;
            if (!seen(id))
                continue;
            bool edge = value >> (2 * i + 1) & 1;
            shared_[id].edge = (edge || id == faults_.edge_only) && id != faults_.level_only;
            refresh(id);
        }
    } else if (offset == gicd_sgir) {
        send_sgi(core, value, secure);
    } else if (kind_.version == 2 &&
               (within(offset, gicd_cpendsgir, 16) || within(offset, gicd_spendsgir, 16))) {
        for (unsigned i = 0; i < 4; ++i) {
            if (!seen(offset % 16 + i))
                continue;
            auto &sources = private_[core][offset % 16 + i].sources;
            auto byte = value >> 8 * i & 0xF;
            if (offset < gicd_spendsgir) {
                sources = static_cast<std::uint8_t>(sources & ~byte);
            } else {
                sources = static_cast<std::uint8_t>(sources | byte);
                statistics_[core].set_pending += static_cast<unsigned>(std::popcount(byte));
            }
            refresh(offset % 16 + i);
        }
    }
}

bool Gic::bytewise(std::uint32_t offset, bool is_store) const {
    return within(offset, gicd_ipriorityr, every_id) || within(offset, gicd_itargetsr, every_id) ||
           (is_store && kind_.version == 2 && within(offset, gicd_cpendsgir, 32));
}

// NSATT: a secure store says whether it means SGIs of group 1; another one means no others.
void Gic::send_sgi(unsigned core, std::uint32_t value, bool secure) {
    unsigned id = value & 15;
    unsigned to = value >> 24 & 3;
    unsigned targets = to == 0 ? value >> 16 & 0xF : to == 1 ? 0xF & ~(1u << core) : 1u << core;
    targets &= kind_.every_core();
    for (unsigned target = 0; target < kind_.cores; ++target)
        if (targets >> target & 1 && (secure || private_[target][id].group1))
            private_[target][id].sources =
                static_cast<std::uint8_t>(private_[target][id].sources | 1u << core);
    refresh(id);
    statistics_[core].set_pending += static_cast<unsigned>(std::popcount(targets));
}

} // namespace twin
