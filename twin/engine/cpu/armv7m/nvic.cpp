#include "cpu/armv7m/nvic.h"

#include <algorithm>

namespace twin::armv7m {

Nvic::Nvic(unsigned interrupts, unsigned bits)
    : count_(first_interrupt + interrupts), mask_(0xFF & ~((1u << (8 - bits)) - 1)) {}

void Nvic::set_enabled(unsigned number, bool on) {
    if (number >= count_)
        return;
    enabled_[number] = on;
    update();
}

void Nvic::set_priority(unsigned number, unsigned value) {
    if (number >= count_)
        return;
    priority_[number] = value & mask_;
    update();
}

void Nvic::set_grouping(unsigned value) {
    grouping_ = value & 7;
    update();
}

void Nvic::set_pending(unsigned number, bool on) {
    if (number >= count_)
        return;
    if (on && !pending_[number])
        pended_();
    pending_[number] = on;
    update();
}

void Nvic::set_level(unsigned number, bool high) {
    bool rises = high && !level_[number];
    level_[number] = high;
    if (rises)
        set_pending(number, true);
}

int Nvic::group_of(unsigned value) const {
    return static_cast<int>(value & (0xFFu << (grouping_ + 1)) & 0xFF);
}

int Nvic::group_priority(unsigned number) const {
    switch (number) {
    case reset:
        return -3;
    case nmi:
        return -2;
    case hard_fault:
        return -1;
    default:
        return group_of(priority_[number]);
    }
}

int Nvic::execution_priority(const Masks &masks) const {
    int found = thread_priority;
    for (unsigned n = nmi; n < count_; ++n)
        if (active_[n])
            found = std::min(found, group_priority(n));
    if (masks.basepri & mask_)
        found = std::min(found, group_of(masks.basepri & mask_));
    if (masks.primask)
        found = std::min(found, 0);
    if (masks.faultmask)
        found = std::min(found, -1);
    return found;
}

std::optional<unsigned> Nvic::takeable(const Masks &masks) const {
    if (!first_ || group_priority(*first_) >= execution_priority(masks))
        return {};
    return first_;
}

// By priority, sub-priority included, then by number.
void Nvic::update() {
    first_.reset();
    auto urgency = [this](unsigned n) {
        return n < mem_manage ? group_priority(n) : static_cast<int>(priority_[n]);
    };
    if (pending_.any())
        for (unsigned n = nmi; n < count_; ++n)
            if (pending_[n] && enabled(n) && (!first_ || urgency(n) < urgency(*first_)))
                first_ = n;
    changed_();
}

void Nvic::activate(unsigned number) {
    pending_[number] = false;
    active_[number] = true;
    update();
}

void Nvic::deactivate(unsigned number) {
    active_[number] = false;
    if (level_[number])
        pending_[number] = true;
    update();
}

void Nvic::give_back(unsigned number) {
    active_[number] = false;
    pending_[number] = true;
    update();
}

} // namespace twin::armv7m
