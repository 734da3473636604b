#include "devices/gic.h"

#include "core/core.h"
#include "core/stop.h"

#include <algorithm>
#include <bit>
#include <string>

namespace twin {

namespace {

// Distributor registers.
constexpr std::uint32_t gicd_ctlr = 0x000, gicd_typer = 0x004, gicd_iidr = 0x008;
constexpr std::uint32_t gicd_igroupr = 0x080, gicd_isenabler = 0x100, gicd_icenabler = 0x180;
constexpr std::uint32_t gicd_ispendr = 0x200, gicd_icpendr = 0x280;
constexpr std::uint32_t gicd_isactiver = 0x300, gicd_icactiver = 0x380;
constexpr std::uint32_t gicd_ipriorityr = 0x400, gicd_itargetsr = 0x800, gicd_icfgr = 0xC00;
constexpr std::uint32_t gicd_ppisr = 0xD00, gicd_spisr = 0xD04, gicd_sgir = 0xF00;
constexpr std::uint32_t gicd_cpendsgir = 0xF10, gicd_spendsgir = 0xF20;

// CPU interface registers.
constexpr std::uint32_t gicc_ctlr = 0x00, gicc_pmr = 0x04, gicc_bpr = 0x08, gicc_iar = 0x0C;
constexpr std::uint32_t gicc_eoir = 0x10, gicc_rpr = 0x14, gicc_hppir = 0x18, gicc_abpr = 0x1C;
constexpr std::uint32_t gicc_apr0 = 0xD0, gicc_iidr = 0xFC;

// GICC_CTLR.
constexpr std::uint32_t enable_group0 = 1u << 0, enable_group1 = 1u << 1, ack_control = 1u << 2;
constexpr std::uint32_t fiq_enable = 1u << 3, common_binary_point = 1u << 4;
constexpr std::uint32_t irq_bypass_off = 1u << 6 | 1u << 8, eoi_mode = 1u << 9;
constexpr std::uint32_t control_bits[] = {0x1F, 0x7FF}; // of architecture 1, 2

constexpr unsigned spurious = 1023;
constexpr unsigned other_group = 1022;
constexpr unsigned none = 1024;
constexpr unsigned idle_priority = 0xFF;
constexpr std::uint32_t priority_bits = 0xF8;

// Read-only configuration of the SGIs.
constexpr std::uint32_t icfgr_sgi = 0xAAAAAAAA;

bool within(std::uint32_t offset, std::uint32_t base, std::uint32_t size) {
    return offset >= base && offset < base + size;
}

} // namespace

Gic::Gic(EventQueue &events, const GicKind &kind, const GicPlace &place, const GicTimes &times,
         const GicFaults &faults, const GicVariants &variants)
    : events_(events), kind_(kind), place_(place), times_(times), faults_(faults),
      variants_(variants) {
    for (unsigned core = 0; core < kind_.cores; ++core)
        for (unsigned id = 0; id < 32; ++id) {
            private_[core][id].enabled = id < 16 && !variants_.sgi_enables; // else always enabled
            private_[core][id].edge = id < 16 || kind_.edge_ppis >> (id - 16) & 1;
        }
}

std::vector<std::uint64_t> Gic::pages() const {
    if (kind_.version == 1)
        return {place_.distributor}; // the interface shares its page
    return {place_.distributor, place_.interface, place_.deactivate};
}

Gic::Interrupt &Gic::at(unsigned core, unsigned id) {
    return id < 32 ? private_[core][id] : shared_[id];
}

const Gic::Interrupt &Gic::at(unsigned core, unsigned id) const {
    return id < 32 ? private_[core][id] : shared_[id];
}

bool Gic::pending(unsigned id, const Interrupt &interrupt) const {
    if (id < 16)
        return interrupt.sources != 0;
    return interrupt.latched || (!interrupt.edge && interrupt.level);
}

bool Gic::forwarded(unsigned core, unsigned id) const {
    const auto &interrupt = at(core, id);
    if (!interrupt.enabled || interrupt.active || !pending(id, interrupt))
        return false;
    if (!(interrupt.group1 ? enable1_ : enable0_))
        return false;
    return id < 32 || interrupt.targets >> core & 1;
}

void Gic::Queue::add(unsigned priority, unsigned id) {
    levels_ |= 1u << priority / 8;
    members_[priority / 8][id / 64] |= std::uint64_t{1} << id % 64;
    ++size_;
}

void Gic::Queue::remove(unsigned priority, unsigned id) {
    auto &members = members_[priority / 8];
    members[id / 64] &= ~(std::uint64_t{1} << id % 64);
    if (members == std::array<std::uint64_t, most_ids / 64>{})
        levels_ &= ~(1u << priority / 8);
    --size_;
}

unsigned Gic::Queue::first() const {
    if (!levels_)
        return none;
    const auto &members = members_[static_cast<unsigned>(std::countr_zero(levels_))];
    unsigned word = 0;
    while (!members[word])
        ++word;
    return word * 64 + static_cast<unsigned>(std::countr_zero(members[word]));
}

// To be called when anything of an interrupt but its priority has changed.
void Gic::refresh(unsigned id) {
    for (unsigned core = 0; core < kind_.cores; ++core) {
        auto &interrupt = at(core, id);
        auto bit = static_cast<std::uint8_t>(1u << core);
        bool is = forwarded(core, id);
        if (is == ((interrupt.queued & bit) != 0))
            continue;
        interrupt.queued ^= bit;
        if (!is) {
            queues_[core].remove(interrupt.priority, id);
            continue;
        }
        queues_[core].add(interrupt.priority, id);
        auto &statistics = statistics_[core];
        statistics.waited += interfaces_[core].active != 0;
        statistics.pending_max = std::max(statistics.pending_max, queues_[core].size());
    }
}

void Gic::set_priority(unsigned core, unsigned id, std::uint8_t priority) {
    auto &interrupt = at(core, id);
    for (unsigned other = 0; other < kind_.cores; ++other)
        if (interrupt.queued >> other & 1) {
            queues_[other].remove(interrupt.priority, id);
            queues_[other].add(priority, id);
        }
    interrupt.priority = priority;
}

unsigned Gic::group_priority(unsigned core, const Interrupt &interrupt) const {
    const auto &interface = interfaces_[core];
    unsigned point = interface.binary_point;
    if (interrupt.group1 && !(interface.control & common_binary_point))
        point = interface.binary_point1 - 1; // the non-secure copy counts one higher
    return interrupt.priority & ~((2u << point) - 1) & 0xFF;
}

unsigned Gic::running_priority(unsigned core) const {
    std::uint32_t active = interfaces_[core].active;
    return active ? static_cast<unsigned>(std::countr_zero(active)) * 8 : idle_priority;
}

// Does the interface signal it to the core?
bool Gic::signals(unsigned core, unsigned id) const {
    if (id == none)
        return false;
    const auto &interface = interfaces_[core];
    const auto &interrupt = at(core, id);
    if (!(interface.control & (interrupt.group1 ? enable_group1 : enable_group0)))
        return false;
    if (interrupt.priority >= interface.mask)
        return false;
    return group_priority(core, interrupt) < running_priority(core);
}

void Gic::update(Time time) {
    for (unsigned core = 0; core < kind_.cores; ++core) {
        const auto &interface = interfaces_[core];
        bool irq = false, fiq = false;
        unsigned id = best(core);
        if (signals(core, id)) {
            bool as_fiq = !at(core, id).group1 && (interface.control & fiq_enable);
            (as_fiq ? fiq : irq) = true;
        }
        // Bypass: with both groups off and bypass not disabled, legacy lines are the core's inputs.
        if (!(interface.control & (enable_group0 | enable_group1)) &&
            (interface.control & irq_bypass_off) != irq_bypass_off) {
            irq = private_[core][kind_.legacy_irq].level;
            if (kind_.legacy_fiq)
                fiq = private_[core][kind_.legacy_fiq].level;
        }
        drive(core, irq, fiq, time);
    }
}

void Gic::drive(unsigned core, bool irq, bool fiq, Time time) {
    auto &interface = interfaces_[core];
    if (irq == interface.irq && fiq == interface.fiq)
        return;
    bool rises = (irq && !interface.irq) || (fiq && !interface.fiq);
    Time seen = time + times_.gic_signal + (rises ? selection(core) : 0);
    seen = interface.seen = std::max(seen, interface.seen); // changes arrive in their order
    if (irq != interface.irq) {
        interface.irq = irq;
        events_.post(seen, [this, core, irq, seen] { outputs_[core].irq(irq, seen); });
    }
    if (fiq != interface.fiq) {
        interface.fiq = fiq;
        events_.post(seen, [this, core, fiq, seen] { outputs_[core].fiq(fiq, seen); });
    }
}

// Further time to find the most urgent interrupt of a core: for each other one that is pending and
// enabled for it, and for each other one that is enabled.
Time Gic::selection(unsigned core) const {
    Time time = 0;
    if (unsigned pending = queues_[core].size(); pending > 1)
        time += times_.gic_select_pending * (pending - 1);
    if (times_.gic_select_enabled)
        if (unsigned others = enabled(core); others > 1)
            time += times_.gic_select_enabled * (others - 1);
    return time;
}

// PPIs and SPIs. SGIs are always enabled: what they cost is part of the signalling.
unsigned Gic::enabled(unsigned core) const {
    unsigned count = 0;
    for (unsigned id = 16; id < kind_.ids; ++id) {
        const auto &interrupt = at(core, id);
        count += interrupt.enabled && (id < 32 || (interrupt.targets >> core & 1));
    }
    return count;
}

// An edge has been seen, or software makes it pending.
void Gic::latch(unsigned id, Interrupt &interrupt) {
    if (id < 32 || interrupt.targets || !kind_.targets_hold)
        interrupt.latched = true;
}

void Gic::set_spi(unsigned id, bool level, Time time) {
    auto &interrupt = shared_[id];
    if (level && !interrupt.level && interrupt.edge)
        latch(id, interrupt);
    interrupt.level = level;
    refresh(id);
    update(time);
}

void Gic::set_ppi(unsigned core, unsigned id, bool level, Time time) {
    auto &interrupt = private_[core][id];
    if (level && !interrupt.level && interrupt.edge)
        latch(id, interrupt);
    interrupt.level = level;
    refresh(id);
    update(time);
}

void Gic::write_stats(std::ostream &out, unsigned core) const {
    const auto &told = statistics_[core];
    out << ", \"waited\": " << told.waited << ", \"pending_max\": " << told.pending_max
        << ", \"set_pending\": " << told.set_pending << ", \"interrupts\": {";
    const char *comma = "";
    for (unsigned id = 0; id < kind_.ids; ++id)
        if (told.acknowledged[id]) {
            out << comma << '"' << id << "\": " << told.acknowledged[id];
            comma = ", ";
        }
    out << "}";
}

// ---- CPU interface -------------------------------------------------------------------------

std::uint32_t Gic::acknowledge(unsigned core) {
    auto &interface = interfaces_[core];
    unsigned id = best(core);
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
        unsigned id = best(core);
        if (id == none)
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

// ---- distributor ---------------------------------------------------------------------------

std::uint32_t Gic::load_distributor(const Access &access, unsigned core, std::uint32_t offset) {
    // One bit for each ID.
    auto bits = [&](std::uint32_t base, auto bit) {
        std::uint32_t value = 0;
        unsigned first = (offset - base) * 8;
        for (unsigned i = 0; i < 32; ++i)
            if (kind_.exists(first + i) && bit(first + i, at(core, first + i)))
                value |= 1u << i;
        return value;
    };
    // One byte for each ID; byte and word accesses.
    auto bytes = [&](std::uint32_t base, auto byte) {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < access.size; ++i) {
            unsigned id = offset - base + i;
            if (kind_.exists(id))
                value |= std::uint32_t{byte(id, at(core, id))} << 8 * i;
        }
        return value;
    };
    if (within(offset, gicd_ipriorityr, kind_.ids))
        return bytes(gicd_ipriorityr, [](unsigned, const Interrupt &i) { return i.priority; });
    if (within(offset, gicd_itargetsr, kind_.ids))
        return bytes(gicd_itargetsr, [core](unsigned id, const Interrupt &i) {
            return id < 32 ? static_cast<std::uint8_t>(1u << core) : i.targets;
        });
    if (offset == gicd_ctlr)
        return std::uint32_t{enable0_} | std::uint32_t{enable1_} << 1;
    if (offset == gicd_typer)
        return kind_.typer;
    if (offset == gicd_iidr)
        return kind_.distributor_id;
    auto enabled = [](unsigned, const Interrupt &i) { return i.enabled; };
    auto is_pending = [this](unsigned id, const Interrupt &i) { return pending(id, i); };
    auto active = [](unsigned, const Interrupt &i) { return i.active != 0; };
    if (within(offset, gicd_igroupr, kind_.ids / 8))
        return bits(gicd_igroupr, [](unsigned, const Interrupt &i) { return i.group1; });
    if (within(offset, gicd_isenabler, kind_.ids / 8))
        return bits(gicd_isenabler, enabled);
    if (within(offset, gicd_icenabler, kind_.ids / 8))
        return bits(gicd_icenabler, enabled);
    if (within(offset, gicd_ispendr, kind_.ids / 8))
        return bits(gicd_ispendr, is_pending);
    if (within(offset, gicd_icpendr, kind_.ids / 8))
        return bits(gicd_icpendr, is_pending);
    if (within(offset, gicd_isactiver, kind_.ids / 8))
        return bits(gicd_isactiver, active);
    if (kind_.version == 2 && within(offset, gicd_icactiver, kind_.ids / 8))
        return bits(gicd_icactiver, active);
    if (offset == gicd_icfgr)
        return icfgr_sgi;
    if (offset == gicd_icfgr + 4)
        return variants_.icfgr_even_zero ? kind_.icfgr_ppi & 0xAAAA'AAAA : kind_.icfgr_ppi;
    if (within(offset, gicd_icfgr, kind_.ids / 4)) {
        std::uint32_t value = variants_.icfgr_even_zero ? 0 : 0x55555555;
        for (unsigned i = 0; i < 16; ++i)
            if (shared_[(offset - gicd_icfgr) * 4 + i].edge)
                value |= 2u << 2 * i;
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
    refuse_access(*this, access, "no such register");
}

void Gic::send_sgi(unsigned core, std::uint32_t value) {
    unsigned id = value & 15;
    unsigned to = value >> 24 & 3;
    unsigned targets = to == 0 ? value >> 16 & 0xF : to == 1 ? 0xF & ~(1u << core) : 1u << core;
    targets &= kind_.every_core();
    for (unsigned target = 0; target < kind_.cores; ++target)
        if (targets >> target & 1)
            private_[target][id].sources =
                static_cast<std::uint8_t>(private_[target][id].sources | 1u << core);
    refresh(id);
    statistics_[core].set_pending += static_cast<unsigned>(std::popcount(targets));
}

void Gic::store_distributor(unsigned core, std::uint32_t offset, unsigned size,
                            std::uint32_t value) {
    auto bits = [&](std::uint32_t base, auto set) {
        unsigned first = (offset - base) * 8;
        for (unsigned i = 0; i < 32; ++i)
            if (kind_.exists(first + i) && value >> i & 1) {
                set(first + i, at(core, first + i));
                refresh(first + i);
            }
    };
    auto each_byte = [&](std::uint32_t base, auto set) {
        for (unsigned i = 0; i < size; ++i) {
            unsigned id = offset - base + i;
            if (kind_.exists(id))
                set(id, at(core, id), static_cast<std::uint8_t>(value >> 8 * i));
        }
    };
    if (within(offset, gicd_ipriorityr, kind_.ids))
        return each_byte(gicd_ipriorityr, [&](unsigned id, Interrupt &, std::uint8_t byte) {
            set_priority(core, id, byte & priority_bits);
        });
    if (within(offset, gicd_itargetsr, kind_.ids))
        return each_byte(gicd_itargetsr, [&](unsigned id, Interrupt &i, std::uint8_t byte) {
            if (id < 32)
                return; // private: read-only
            i.targets = byte & kind_.every_core();
            refresh(id);
        });
    if (offset == gicd_ctlr) {
        enable0_ = value & 1;
        enable1_ = value >> 1 & 1;
        for (unsigned id = 0; id < kind_.ids; ++id)
            refresh(id);
    } else if (within(offset, gicd_igroupr, kind_.ids / 8)) {
        for (unsigned i = 0; i < 32; ++i) {
            unsigned id = (offset - gicd_igroupr) * 8 + i;
            at(core, id).group1 = value >> i & 1;
            refresh(id);
        }
    } else if (within(offset, gicd_isenabler, kind_.ids / 8)) {
        bits(gicd_isenabler, [](unsigned, Interrupt &i) { i.enabled = true; });
    } else if (within(offset, gicd_icenabler, kind_.ids / 8)) {
        bits(gicd_icenabler,
             [&](unsigned id, Interrupt &i) { i.enabled = id < 16 && !variants_.sgi_enables; });
    } else if (within(offset, gicd_ispendr, kind_.ids / 8)) {
        bits(gicd_ispendr, [&](unsigned id, Interrupt &i) {
            if (id < 16)
                return; // SGIs: SPENDSGIR
            latch(id, i);
            ++statistics_[core].set_pending;
        });
    } else if (within(offset, gicd_icpendr, kind_.ids / 8)) {
        bits(gicd_icpendr, [](unsigned, Interrupt &i) { i.latched = false; });
    } else if (within(offset, gicd_isactiver, kind_.ids / 8)) {
        bits(gicd_isactiver, [core](unsigned, Interrupt &i) {
            i.active = static_cast<std::uint8_t>(i.active | 1u << core);
        });
    } else if (within(offset, gicd_icactiver, kind_.ids / 8)) {
        bits(gicd_icactiver, [](unsigned, Interrupt &i) { i.active = 0; });
    } else if (within(offset, gicd_icfgr + 8, kind_.ids / 4 - 8)) { // ICFGR0, 1 are read-only
        for (unsigned i = 0; i < 16; ++i) {
            unsigned id = (offset - gicd_icfgr) * 4 + i;
            bool edge = value >> (2 * i + 1) & 1;
            shared_[id].edge = (edge || id == faults_.edge_only) && id != faults_.level_only;
            refresh(id);
        }
    } else if (offset == gicd_sgir) {
        send_sgi(core, value);
    } else if (within(offset, gicd_cpendsgir, 16) || within(offset, gicd_spendsgir, 16)) {
        for (unsigned i = 0; i < 4; ++i) {
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

// ---- accesses ------------------------------------------------------------------------------

Gic::Register Gic::locate(std::uint64_t address) const {
    constexpr std::uint64_t page = 0x1000;
    if (address - place_.distributor < page)
        return {Part::distributor, static_cast<std::uint32_t>(address - place_.distributor)};
    if (address - place_.interface < page)
        return {Part::interface, static_cast<std::uint32_t>(address - place_.interface)};
    return {Part::deactivate, static_cast<std::uint32_t>(address - place_.deactivate)};
}

bool Gic::bytewise(Register reg, bool is_store) const {
    return reg.part == Part::distributor &&
           (within(reg.offset, gicd_ipriorityr, kind_.ids) ||
            within(reg.offset, gicd_itargetsr, kind_.ids) ||
            (is_store && kind_.version == 2 && within(reg.offset, gicd_cpendsgir, 32)));
}

std::uint32_t Gic::load(const Access &access) {
    unsigned core = access.core->number();
    auto reg = locate(access.address);
    if (access.size != 4 && !(bytewise(reg, false) && access.size == 1))
        refuse_access(*this, access, "unsupported access width");
    if (reg.offset % access.size)
        refuse_access(*this, access, "unaligned");
    if (reg.part == Part::deactivate)
        refuse_access(*this, access, "GICC_DIR is write-only");
    if (reg.part == Part::interface)
        return load_interface(access, core, reg.offset);
    return load_distributor(access, core, reg.offset);
}

void Gic::check_store(const Access &access, std::uint32_t) const {
    auto reg = locate(access.address);
    auto offset = reg.offset;
    if (access.size != 4 && !(bytewise(reg, true) && access.size == 1))
        refuse_access(*this, access, "unsupported access width");
    if (offset % access.size)
        refuse_access(*this, access, "unaligned");
    bool second = kind_.version == 2;
    bool known;
    if (reg.part == Part::distributor) {
        known =
            offset == gicd_ctlr || offset == gicd_sgir ||
            within(offset, gicd_ipriorityr, kind_.ids) ||
            within(offset, gicd_itargetsr, kind_.ids) ||
            within(offset, gicd_icfgr, kind_.ids / 4) ||
            (second && (within(offset, gicd_cpendsgir, 16) || within(offset, gicd_spendsgir, 16)));
        for (auto base : {gicd_igroupr, gicd_isenabler, gicd_icenabler, gicd_ispendr, gicd_icpendr})
            known |= within(offset, base, kind_.ids / 8);
        for (auto base : {gicd_isactiver, gicd_icactiver})
            known |= second && within(offset, base, kind_.ids / 8);
    } else if (reg.part == Part::interface) {
        known = offset == gicc_ctlr || offset == gicc_pmr || offset == gicc_bpr ||
                offset == gicc_eoir || offset == gicc_abpr || (second && offset == gicc_apr0);
    } else {
        known = offset == 0; // GICC_DIR
    }
    if (!known)
        refuse_access(*this, access, "no such writable register");
}

Time Gic::store(const Access &access, std::uint32_t value, Time arrival) {
    unsigned core = access.core->number();
    auto reg = locate(access.address);
    if (reg.part == Part::distributor)
        store_distributor(core, reg.offset, access.size, value);
    else if (reg.part == Part::interface)
        store_interface(access, core, reg.offset, value);
    else
        deactivate(access, core, value);
    update(arrival);
    return arrival;
}

} // namespace twin
