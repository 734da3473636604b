#include "devices/gic.h"

#include "core/core.h"
#include "core/stop.h"

#include <algorithm>
#include <bit>
#include <string>

namespace twin {

namespace {

constexpr unsigned idle_priority = 0xFF;

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
    if (faults_.dead_private >> id & 1)
        return;
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

} // namespace twin
