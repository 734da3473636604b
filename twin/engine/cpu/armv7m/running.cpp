// Time, sleep, and one instruction after the other.
#include "cpu/armv7m/bits.h"
#include "cpu/armv7m/core.h"
#include "cpu/armv7m/hidden_page.h"

#include "core/observer.h"
#include "core/stop.h"

#include <unicorn/unicorn.h>

#include <algorithm>

namespace twin::armv7m {

void Core::advance(std::uint64_t cycle) {
    cycle_ = cycle;
    access_cycle_ = cycle;
    time_ = clock_.time_of(cycle);
}

void Core::refresh_limit() { limit_ = nvic_.first() || entering_ ? 0 : horizon_; }

void Core::set_hz(std::uint64_t hz) {
    clock_.set(hz, access_cycle_, now());
    post_all();
}

void Core::call_at(const void *owner, std::uint64_t cycle, std::function<void()> action) {
    alarms_[owner] = {cycle, 0, std::move(action)};
    post(owner);
}

// The event of an earlier clock has become void.
void Core::post(const void *owner) {
    Alarm &alarm = alarms_.at(owner);
    alarm.number = ++alarm_number_;
    if (deep_)
        return;
    events_.post(std::max(clock_.time_of(alarm.cycle), events_.now()),
                 [this, owner, number = alarm.number] {
                     auto found = alarms_.find(owner);
                     if (found == alarms_.end() || found->second.number != number || deep_)
                         return;
                     auto action = std::move(found->second.action);
                     alarms_.erase(found);
                     action();
                 });
}

void Core::post_all() {
    for (auto &[owner, alarm] : alarms_)
        post(owner);
}

void Core::start(Time time) {
    write(UC_ARM_REG_MSP, word(around_.vectors) & ~3u);
    write(UC_ARM_REG_LR, 0xFFFFFFFF);
    next_ = word(around_.vectors + 4) & ~1u;
    clock_.set(clock_.hz(), 0, time);
    advance(0);
    state_ = State::running;
    coroutine_ = std::make_unique<Coroutine>([this] { body(); });
}

Time Core::asleep_until(Time now) const {
    return asleep_time_ + (state_ == State::wfi ? std::max(now, slept_since_) - slept_since_ : 0);
}

void Core::run(Time horizon, bool) {
    horizon_ = horizon;
    refresh_limit();
    executes_ = true;
    coroutine_->resume();
    executes_ = false;
}

void Core::lower_horizon(Time time) {
    if (time >= horizon_)
        return;
    horizon_ = time;
    refresh_limit();
}

void Core::wait_until(Time time) {
    time_ = time;
    while (time_ >= horizon_)
        coroutine_->yield();
}

void Core::observe(Observer &observer, bool stores) {
    observer_ = &observer;
    observes_stores_ = stores;
}

// ---- sleep ----

// WFI wakes by an exception that would be taken were PRIMASK 0.
bool Core::wakes() const {
    Masks found = masks();
    found.primask = false;
    return nvic_.takeable(found).has_value();
}

void Core::sleep(bool for_event) {
    wait_until(time_);
    if (for_event && event_) {
        event_ = false;
        return;
    }
    if (wakes())
        return;
    waits_for_event_ = for_event;
    deep_ = control_.sleeps_deeply() && around_.stop_clocks && around_.stop_clocks();
    slept_since_ = time_;
    state_ = State::wfi;
    coroutine_->yield();
    event_ = event_ && !for_event;
}

void Core::notice(Time time) {
    if (state_ == State::wfi) {
        if (!deep_ && can_wake())
            end_sleep(time);
        return;
    }
    if (!came_ && nvic_.takeable(masks())) {
        came_ = true;
        came_at_ = clock_.cycle_at(time);
    }
    refresh_limit();
}

void Core::end_sleep(Time time) {
    std::uint64_t before = cycle_;
    std::uint64_t at = std::max(clock_.cycle_at(time), cycle_);
    advance(timing_->wake(at));
    asleep_ += cycle_ - before;
    asleep_time_ += time_ - std::min(time_, slept_since_);
    came_ = false;
    state_ = State::running;
}

void Core::wake_deeply(std::uint64_t hz, Time time) {
    deep_ = false;
    clock_.set(hz, cycle_, time);
    post_all();
    end_sleep(time);
}

void Core::set_event(Time time) {
    event_ = true;
    notice(time);
}

// ---- instructions ----

void Core::stop_emulation(Stop why) {
    stop_ = why;
    uc_emu_stop(uc_);
}

bool Core::condition_holds(const thumb::Instruction &it) {
    if (!(if_then_ & 15)) {
        if (it.kind == thumb::Kind::if_then)
            if_then_ = it.opcode & 0xFF;
        return true;
    }
    unsigned condition = if_then_ >> 4;
    if_then_ = if_then_ & 7 ? (if_then_ & 0xE0) | (if_then_ << 1 & 0x1F) : 0;
    std::uint32_t status = read(UC_ARM_REG_XPSR);
    bool n = status >> 31 & 1, z = status >> 30 & 1, c = status >> 29 & 1, v = status >> 28 & 1;
    const bool holds[] = {z, c, n, v, c && !z, n == v, n == v && !z, true};
    return holds[condition >> 1] != ((condition & 1) && condition < 14);
}

// The emulator has just restored ITSTATE to its value before this access, for a fault, and keeps
// it: the code after the block would also depend on its condition.
void Core::forget_condition() {
    if (began_if_then_ & 15)
        write(UC_ARM_REG_XPSR, read(UC_ARM_REG_XPSR) & ~if_then_bits);
}

// Instructions whose condition does not hold are not told by the emulator.
void Core::step(std::uint32_t pc) {
    if (clearing_) {
        cleared_ = pc != hidden_page;
        if (cleared_)
            uc_emu_stop(uc_);
        return;
    }
    for (unsigned n = 0; n < 4 && stop_ == Stop::none && current_ && if_then_ & 15; ++n) {
        std::uint32_t expected = pc_ + current_->size;
        if (expected == pc)
            break;
        issue(expected);
    }
    if (stop_ == Stop::none)
        issue(pc);
}

void Core::issue(std::uint32_t pc) {
    end_current(pc);
    next_ = pc;
    // The emulator does not stop within an IT block: an interrupt that comes there waits for its
    // end.
    bool stops = !(if_then_ & 15);
    if (pending_fault_ && stops) {
        next_ = pc_;
        return stop_emulation(Stop::fault);
    }
    if (time_ >= limit_ && !boundary(stops))
        return;
    const auto &it = decoded(pc);
    std::uint64_t there = timing_->fetch(pc, it.size, cycle_);
    if (there > cycle_) {
        interruptible_since_ = cycle_;
        restarts_ = false;
        waits_ = true;
        advance(there);
        if (time_ >= limit_ && !boundary(stops))
            return;
        waits_ = false;
    }
    entering_ = false;
    began_if_then_ = if_then_;
    bool executes = condition_holds(it);
    pc_ = pc;
    ++instructions_;
    if (observer_)
        observer_->executes(*this, pc, time_);
    if (it.is_floating && executes && !use_floating())
        return;
    if (it.kind == thumb::Kind::divide && executes && control_.traps_division() && !divisor(it))
        return fault_now(usage_fault, fault::divide_by_zero, 0, "a division by zero");
    current_it_ = it;
    current_ = &current_it_;
    timing_->begin(it, pc, executes, cycle_);
    access_cycle_ = cycle_;
    if (it.kind >= thumb::Kind::wait && it.kind <= thumb::Kind::send_event && executes)
        wait_or_send(it);
}

// The current instruction led to `next`.
void Core::end_current(std::uint32_t next) {
    if (!current_)
        return;
    std::uint64_t began = cycle_;
    const auto &it = current_it_;
    restarts_ = it.kind == thumb::Kind::divide;
    bool interruptible = restarts_ || (it.multiple && !it.is_floating);
    advance(timing_->end(next));
    interruptible_since_ = interruptible ? began + 1 : cycle_;
    current_ = nullptr;
}

void Core::wait_or_send(const thumb::Instruction &it) {
    advance(timing_->end(pc_ + it.size));
    current_ = nullptr;
    if (it.kind == thumb::Kind::send_event)
        event_ = true;
    else
        sleep(it.kind == thumb::Kind::wait_event);
    next_ = pc_ + it.size;
    stop_emulation(Stop::skipped);
}

std::uint32_t Core::divisor(const thumb::Instruction &it) const {
    unsigned index = it.opcode & 15;
    return index < 13 ? read(UC_ARM_REG_R0 + static_cast<int>(index)) : 1;
}

// In front of an instruction. False: it is not executed now.
bool Core::boundary(bool stops) {
    while (time_ >= horizon_)
        coroutine_->yield();
    if (!stops)
        return true;
    auto found = nvic_.first() ? nvic_.takeable(masks()) : std::nullopt;
    if (!found) {
        came_ = false;
        refresh_limit();
        return true;
    }
    // Fetches and continuations that come later do not delay an exception.
    std::uint64_t came = came_ ? came_at_ : cycle_;
    if (came < cycle_ && interruptible_since_ < cycle_) {
        std::uint64_t at = std::max(came, interruptible_since_);
        if (!waits_)
            owed_ = restarts_ ? cycle_ - (interruptible_since_ - 1) : cycle_ - at;
        advance(at);
    }
    waits_ = false;
    taken_ = *found;
    arrival_ = came;
    stop_emulation(Stop::exception);
    return false;
}

void Core::body() {
    for (;;) {
        stop_ = Stop::none;
        uc_err error = uc_emu_start(uc_, next_ | 1, ~std::uint64_t{1}, 0, 0);
        switch (stop_) {
        case Stop::exception:
            take(taken_);
            continue;
        case Stop::left:
            leave(left_);
            continue;
        case Stop::fault:
            take_fault();
            continue;
        case Stop::skipped:
            continue;
        case Stop::none:
            stop_engine("the CPU emulator stopped: " + std::string(uc_strerror(error)) + ", PC " +
                        where(pc_));
        }
    }
}

} // namespace twin::armv7m
