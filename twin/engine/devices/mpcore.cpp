#include "devices/mpcore.h"

#include "core/core.h"

#include <algorithm>

namespace twin {

namespace {

// SCU: control at 0x00, power at 0x08.
constexpr std::uint32_t scu_config = 0x04, scu_invalidate = 0x0C;
constexpr std::uint32_t filter_start = 0x40, filter_end = 0x44, access_control = 0x50;
constexpr std::uint32_t config_value = 0x0000'0531; // two cores in SMP, tag RAMs for 32 KB each

// Global timer.
constexpr std::uint32_t global_low = 0x200, global_high = 0x204, global_ctrl = 0x208;
constexpr std::uint32_t global_status = 0x20C, compare_low = 0x210, compare_high = 0x214;
constexpr std::uint32_t global_increment = 0x218;
constexpr std::uint32_t global_enable = 1, global_banked = 0xE, global_known = 0xFF0F;
constexpr std::uint32_t compare_enable = 2, compare_irq = 4, compare_auto = 8;

// Private timer.
constexpr std::uint32_t private_load_reg = 0x600, private_counter = 0x604, private_ctrl = 0x608;
constexpr std::uint32_t private_status = 0x60C;
constexpr std::uint32_t private_enable = 1, private_reload = 2, private_irq = 4;
constexpr std::uint32_t private_known = 0xFF07;

constexpr unsigned global_ppi = 27, private_ppi = 29;

bool is_scu(std::uint32_t offset) {
    return offset <= scu_invalidate || offset == filter_start || offset == filter_end ||
           offset == access_control;
}

bool is_gic(std::uint32_t offset) {
    return offset >= Mpcore::interface_offset && offset < Mpcore::interface_offset + 0x100;
}

bool is_global(std::uint32_t offset) { return offset >= global_low && offset <= global_increment; }

bool is_private(std::uint32_t offset) {
    return offset >= private_load_reg && offset <= private_status;
}

} // namespace

Mpcore::Mpcore(EventQueue &events, const MpcorePlace &place, Gic &gic, Time input_delay)
    : events_(events), place_(place), gic_(gic), input_delay_(input_delay) {}

// ---- private timers ------------------------------------------------------------------------

Time Mpcore::private_cycle(const PrivateTimer &timer) const {
    return place_.cycle * ((timer.control >> 8 & 0xFF) + 1);
}

std::uint32_t Mpcore::private_count(const PrivateTimer &timer, Time now) const {
    if (!(timer.control & private_enable))
        return timer.from;
    Time passed = (now - timer.since) / private_cycle(timer);
    return passed >= timer.from ? 0 : timer.from - static_cast<std::uint32_t>(passed);
}

void Mpcore::restart(unsigned core, std::uint32_t from, Time now) {
    auto &timer = private_[core];
    timer.from = from;
    timer.since = now;
    ++timer.generation;
    if (!(timer.control & private_enable) || from == 0)
        return;
    Time due = now + Time{from} * private_cycle(timer);
    events_.post(due, [this, core, due, generation = timer.generation] {
        if (generation == private_[core].generation)
            expire(core, due);
    });
}

// The count has reached 0.
void Mpcore::expire(unsigned core, Time now) {
    auto &timer = private_[core];
    timer.status = 1;
    drive_private(core, now);
    if (timer.control & private_reload) {
        Time reloaded = now + private_cycle(timer);
        timer.from = 0;
        timer.since = now;
        events_.post(reloaded, [this, core, reloaded, generation = timer.generation] {
            if (generation == private_[core].generation)
                restart(core, private_[core].load, reloaded);
        });
    }
}

void Mpcore::drive_private(unsigned core, Time now) {
    bool level = private_[core].status && (private_[core].control & private_irq);
    Time seen = now + input_delay_;
    events_.post(seen, [this, core, level, seen] { gic_.set_ppi(core, private_ppi, level, seen); });
}

std::uint32_t Mpcore::load_private(const Access &access, std::uint32_t offset) {
    const auto &timer = private_[access.core->number()];
    switch (offset) {
    case private_load_reg:
        return timer.load;
    case private_counter:
        return private_count(timer, access.core->time());
    case private_ctrl:
        return timer.control;
    default:
        return timer.status;
    }
}

void Mpcore::store_private(unsigned core, std::uint32_t offset, std::uint32_t value, Time now) {
    auto &timer = private_[core];
    switch (offset) {
    case private_load_reg: // sets the counter, too
        timer.load = value;
        restart(core, value, now);
        break;
    case private_counter:
        restart(core, value, now);
        break;
    case private_ctrl: {
        std::uint32_t count = private_count(timer, now);
        timer.control = value & private_known;
        restart(core, count, now);
        drive_private(core, now);
        break;
    }
    default:
        timer.status &= ~value;
        drive_private(core, now);
    }
}

// ---- global timer --------------------------------------------------------------------------

Time Mpcore::global_cycle() const { return place_.cycle * ((global_control_ >> 8 & 0xFF) + 1); }

std::uint64_t Mpcore::global_count(Time now) const {
    if (!(global_control_ & global_enable))
        return global_from_;
    return global_from_ + (now - global_since_) / global_cycle();
}

// Sets the event of a core's comparator when it is due, or later when it will be.
void Mpcore::compare(unsigned core, Time now) {
    auto &comparator = comparators_[core];
    ++comparator.generation;
    if (!(global_control_ & global_enable) || !(comparator.control & compare_enable))
        return;
    std::uint64_t count = global_count(now);
    if (count < comparator.value) {
        std::uint64_t cycles = comparator.value - global_from_;
        if (cycles > (never - global_since_) / global_cycle())
            return;
        Time due = global_since_ + cycles * global_cycle();
        events_.post(due, [this, core, due, generation = comparator.generation] {
            if (generation == comparators_[core].generation)
                compare(core, due);
        });
        return;
    }
    if (!comparator.status) {
        comparator.status = 1;
        bool level = comparator.control & compare_irq;
        Time seen = now + input_delay_;
        events_.post(seen,
                     [this, core, level, seen] { gic_.set_ppi(core, global_ppi, level, seen); });
    }
    if (comparator.control & compare_auto && comparator.increment) {
        comparator.value += comparator.increment;
        compare(core, now);
    }
}

std::uint32_t Mpcore::load_global(const Access &access, std::uint32_t offset) {
    const auto &comparator = comparators_[access.core->number()];
    std::uint64_t count = global_count(access.core->time());
    switch (offset) {
    case global_low:
        return static_cast<std::uint32_t>(count);
    case global_high:
        return static_cast<std::uint32_t>(count >> 32);
    case global_ctrl:
        return global_control_ | comparator.control;
    case global_status:
        return comparator.status;
    case compare_low:
        return static_cast<std::uint32_t>(comparator.value);
    case compare_high:
        return static_cast<std::uint32_t>(comparator.value >> 32);
    default:
        return comparator.increment;
    }
}

void Mpcore::store_global(unsigned core, std::uint32_t offset, std::uint32_t value, Time now) {
    auto &comparator = comparators_[core];
    auto halves = [&](std::uint64_t whole) {
        bool low = offset == global_low || offset == compare_low;
        return low ? (whole & ~0xFFFF'FFFFull) | value
                   : (whole & 0xFFFF'FFFF) | std::uint64_t{value} << 32;
    };
    switch (offset) {
    case global_low:
    case global_high:
        global_from_ = halves(global_count(now));
        global_since_ = now;
        break;
    case global_ctrl:
        comparator.control = value & global_banked;
        value &= global_known & ~global_banked;
        if (value == global_control_) // it counts on, within a count, too
            break;
        global_from_ = global_count(now);
        global_since_ = now;
        global_control_ = value;
        break;
    case global_status:
        comparator.status &= ~value;
        gic_.set_ppi(core, global_ppi, comparator.status, now);
        return;
    case compare_low:
    case compare_high:
        comparator.value = halves(comparator.value);
        break;
    default:
        comparator.increment = value;
    }
    for (unsigned each = 0; each < cores; ++each)
        compare(each, now);
}

// ---- accesses ------------------------------------------------------------------------------

std::uint32_t Mpcore::load(const Access &access) {
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    if (is_gic(offset))
        return gic_.load(access);
    if (access.size != 4 || offset % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    if (is_private(offset))
        return load_private(access, offset);
    if (is_global(offset))
        return load_global(access, offset);
    if (!is_scu(offset))
        refuse_access(*this, access, "no such register");
    return offset == scu_config ? config_value : scu_[offset / 4];
}

void Mpcore::check_store(const Access &access, std::uint32_t value) const {
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    if (is_gic(offset))
        return gic_.check_store(access, value);
    if (access.size != 4 || offset % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    bool known =
        is_private(offset) || is_global(offset) || (is_scu(offset) && offset != scu_config);
    if (!known)
        refuse_access(*this, access, "no such writable register");
    if (offset == global_ctrl && value & ~global_known)
        refuse_access(*this, access, "reserved bits");
    if (offset == private_ctrl && value & ~private_known)
        refuse_access(*this, access, "reserved bits");
}

Time Mpcore::store(const Access &access, std::uint32_t value, Time arrival) {
    auto offset = static_cast<std::uint32_t>(access.address - place_.base);
    unsigned core = access.core->number();
    if (is_gic(offset))
        return gic_.store(access, value, arrival);
    if (is_private(offset))
        store_private(core, offset, value, arrival);
    else if (is_global(offset))
        store_global(core, offset, value, arrival);
    else if (offset != scu_invalidate) // reads as zero
        scu_[offset / 4] = value;
    return arrival;
}

} // namespace twin
