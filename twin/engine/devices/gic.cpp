#include "devices/gic.h"

#include "core/core.h"
#include "core/stop.h"

#include <algorithm>
#include <bit>
#include <string>

namespace twin {

namespace {

constexpr unsigned idle_priority = 0xFF;

// What TF-A gives to interrupts of the non-secure state.
constexpr std::uint8_t priority_below_el3 = 0x80;

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
    if (id == GicQueue::none)
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
        unsigned id = first(core);
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

// PPIs and SPIs. SGIs are always enabled: their cost is part of the signalling.
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
    if (faults_.dead_private >> id & 1)
        return;
    auto &interrupt = private_[core][id];
    if (level && !interrupt.level && interrupt.edge)
        latch(id, interrupt);
    interrupt.level = level;
    refresh(id);
    update(time);
}

void Gic::hand_over() {
    enable0_ = enable1_ = true;
    for (unsigned core = 0; core < kind_.cores; ++core) {
        for (unsigned id = 0; id < kind_.ids; ++id) {
            at(core, id).group1 = true;
            at(core, id).priority = priority_below_el3;
        }
        interfaces_[core].mask = priority_bits;
        interfaces_[core].control = enable_group0 | fiq_enable;
    }
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

// ---- accesses ------------------------------------------------------------------------------

Gic::Register Gic::locate(std::uint64_t address) const {
    constexpr std::uint64_t page = 0x1000;
    if (address - place_.distributor < page)
        return {Part::distributor, static_cast<std::uint32_t>(address - place_.distributor)};
    if (address - place_.interface < page)
        return {Part::interface, static_cast<std::uint32_t>(address - place_.interface)};
    return {Part::deactivate, static_cast<std::uint32_t>(address - place_.deactivate)};
}

void Gic::check_width(const Access &access, Register reg) const {
    bool byte =
        access.size == 1 && reg.part == Part::distributor && bytewise(reg.offset, access.is_store);
    if (access.size != 4 && !byte)
        refuse_access(*this, access, "unsupported access width");
    if (reg.offset % access.size)
        refuse_access(*this, access, "unaligned");
}

std::uint32_t Gic::load(const Access &access) {
    unsigned core = access.core->number();
    auto reg = locate(access.address);
    check_width(access, reg);
    if (reg.part == Part::deactivate)
        return 0; // GICC_DIR is write-only, the rest reserved
    if (reg.part == Part::interface)
        return load_interface(access, core, reg.offset);
    return load_distributor(access, core, reg.offset);
}

void Gic::check_store(const Access &access, std::uint32_t) const {
    check_width(access, locate(access.address));
}

bool Gic::masks(unsigned core, unsigned id) const {
    const auto &interrupt = at(core, id);
    bool on = interrupt.group1 ? enable1_ : enable0_;
    bool for_core = id < 32 || interrupt.targets >> core & 1;
    return !on || !interrupt.enabled || interrupt.active || !for_core || !signals(core, id);
}

std::string Gic::about(unsigned id) const {
    const auto &interrupt = shared_[id];
    const auto &interface = interfaces_[0];
    auto yes = [](bool is) { return is ? "" : "not "; };
    const char *groups = enable0_ && enable1_ ? "both groups" : enable0_ ? "group 0" : "group 1";
    return "interrupt " + std::to_string(id) + " is " + yes(interrupt.enabled) + "enabled, " +
           yes(pending(id, interrupt)) + "pending, " + yes(interrupt.active) + "active, of group " +
           (interrupt.group1 ? "1" : "0") + ", by " + (interrupt.edge ? "edge" : "level") +
           ", priority " + hex(interrupt.priority) + ", for cores " + hex(interrupt.targets) +
           "; the distributor forwards " + (enable0_ || enable1_ ? groups : "nothing") +
           "; core 0's interface has control " + hex(interface.control) + ", priority mask " +
           hex(interface.mask);
}

Time Gic::store(const Access &access, std::uint32_t value, Time arrival) {
    unsigned core = access.core->number();
    auto reg = locate(access.address);
    if (reg.part == Part::distributor)
        store_distributor(access, core, reg.offset, value);
    else if (reg.part == Part::interface)
        store_interface(access, core, reg.offset, value);
    else if (reg.offset == 0)
        deactivate(access, core, value);
    update(arrival);
    return arrival;
}

} // namespace twin
