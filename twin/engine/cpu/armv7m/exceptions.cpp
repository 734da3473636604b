// Entry to an exception and return from it, with the registers of the FPU.
#include "cpu/armv7m/bits.h"
#include "cpu/armv7m/core.h"
#include "cpu/armv7m/hidden_page.h"

#include "core/observer.h"
#include "core/stop.h"

#include <unicorn/unicorn.h>

#include <algorithm>

namespace twin::armv7m {

namespace {

std::uint32_t to_status(std::uint32_t if_then) {
    return (if_then & 3) << 25 | (if_then & 0xFC) << 8;
}
std::uint32_t from_status(std::uint32_t status) {
    return (status >> 25 & 3) | (status >> 8 & 0xFC);
}

bool is_fault(unsigned exception) { return exception >= hard_fault && exception <= usage_fault; }

std::string name_of(unsigned exception) {
    switch (exception) {
    case hard_fault:
        return "HardFault";
    case mem_manage:
        return "MemManage";
    case bus_fault:
        return "BusFault";
    case usage_fault:
        return "UsageFault";
    case sv_call:
        return "SVCall";
    case pend_sv:
        return "PendSV";
    case sys_tick:
        return "SysTick";
    default:
        return exception < first_interrupt
                   ? "exception " + std::to_string(exception)
                   : "interrupt " + std::to_string(exception - first_interrupt);
    }
}

} // namespace

std::uint32_t Core::handler_of(unsigned exception) const {
    return word(control_.vectors() + 4 * exception);
}

void Core::clear_exclusive() {
    clearing_ = true;
    // The first start after a return by EXC_RETURN may tell that once more, and execute nothing.
    cleared_ = false;
    for (unsigned n = 0; n < 3 && !cleared_; ++n)
        uc_emu_start(uc_, hidden_page | 1, ~std::uint64_t{1}, 0, 0);
    clearing_ = false;
}

void Core::take(unsigned exception) {
    std::uint32_t return_address = next_;
    came_ = false;
    if (observer_ && exception >= first_interrupt)
        observer_->interrupts(*this, return_address, time_);
    std::uint32_t vector = control_.vectors() + 4 * exception;
    std::uint32_t handler = word(vector);
    if (entering_ && arrival_ <= timing_->late_until(entry_began_)) {
        std::uint32_t first = read(UC_ARM_REG_XPSR) & exception_mask;
        nvic_.give_back(first);
        advance(timing_->late(entry_began_, std::max(arrival_, entry_began_), vector, handler));
        return go_to(exception, read(UC_ARM_REG_LR));
    }
    if (observer_)
        observer_->traps(*this, return_address);
    std::uint32_t status = read(UC_ARM_REG_XPSR) & ~if_then_bits;
    status |= to_status(if_then_) | thumb_bit;
    std::uint32_t control = read(UC_ARM_REG_CONTROL);
    bool in_handler = status & exception_mask, on_process = !in_handler && control & process_stack;
    bool floating = control & floating_active && control_.stacks_fpu();
    unsigned words = floating ? floating_words : basic_words;
    std::uint32_t stack = read(UC_ARM_REG_SP);
    std::uint32_t frame = stack - 4 * words;
    bool aligns = (control_.aligns_stack() || floating) && frame & 4;
    if (aligns)
        frame -= 4;
    if (!is_memory(frame, 4 * words))
        stop_engine("the stack pointer " + hex(stack) + " is outside of the memory where " +
                    "exception " + std::to_string(exception) + " is taken, PC " +
                    where(return_address));
    const std::uint32_t saved[] = {
        read(UC_ARM_REG_R0),  read(UC_ARM_REG_R1),
        read(UC_ARM_REG_R2),  read(UC_ARM_REG_R3),
        read(UC_ARM_REG_R12), read(UC_ARM_REG_LR),
        return_address,       (status & ~aligned_bit) | (aligns ? aligned_bit : 0)};
    for (unsigned n = 0; n < basic_words; ++n)
        set_word(frame + 4 * n, saved[n]);
    std::uint32_t link = 0xFFFFFFE1;
    if (!floating)
        link |= return_without_floating;
    if (!in_handler)
        link |= return_to_thread | (on_process ? return_to_process : 0);
    unsigned stacked = basic_words;
    if (floating) {
        control_.reserve(frame + 4 * basic_words);
        if (!control_.stacks_lazily()) {
            stacked = accessed_words;
            save_floating();
        }
    }
    write(UC_ARM_REG_SP, frame);
    std::uint64_t began = cycle_;
    advance(timing_->enter(cycle_, frame, stacked, vector, handler & ~1u));
    entry_began_ = began;
    owed_below_.push_back(owed_);
    owed_ = 0;
    // SPSEL and FPCA are 0 in a handler; the emulator lets only privileged thread code change the
    // first.
    if (control & (process_stack | floating_active)) {
        write(UC_ARM_REG_XPSR, (status & ~exception_mask) | exception);
        write(UC_ARM_REG_CONTROL, control & ~(unprivileged | floating_active));
        if (!in_handler) {
            write(UC_ARM_REG_XPSR, status & ~exception_mask);
            write(UC_ARM_REG_CONTROL, 0);
        }
        write(UC_ARM_REG_XPSR, (status & ~exception_mask) | exception);
        write(UC_ARM_REG_CONTROL, control & unprivileged);
    }
    go_to(exception, link);
}

// The handler is next, with nothing executed of it.
void Core::go_to(unsigned exception, std::uint32_t link) {
    std::uint32_t handler = handler_of(exception);
    nvic_.activate(exception);
    write(UC_ARM_REG_XPSR, (read(UC_ARM_REG_XPSR) & flag_bits) | exception | thumb_bit);
    write(UC_ARM_REG_LR, link);
    if_then_ = 0;
    event_ = true; // as each entry sets it
    interruptible_since_ = cycle_;
    next_ = handler & ~1u;
    entering_ = true;
    came_ = false;
    refresh_limit();
    if (!(handler & 1))
        fault_now(usage_fault, fault::invalid_state, 0,
                  "the vector of " + name_of(exception) + ", " + hex(handler) + ", without bit 0" +
                      (is_fault(exception) ? ", taken after " + last_fault_ + "," : ""));
}

// The value that ended the handler is in PC.
void Core::leave(std::uint32_t code) {
    if (current_) {
        advance(timing_->end(code));
        current_ = nullptr;
    }
    unsigned number = read(UC_ARM_REG_XPSR) & exception_mask;
    bool to_thread = code & return_to_thread, to_process = code & return_to_process;
    bool known = (code | return_without_floating) == 0xFFFFFFF1 ||
                 (code | return_without_floating) == 0xFFFFFFF9 ||
                 (code | return_without_floating) == 0xFFFFFFFD;
    if (!known || !nvic_.active(number) || to_thread != (nvic_.nesting() == 1)) {
        next_ = code & ~1u;
        return raise_return(number, code);
    }
    nvic_.deactivate(number);
    if (number != nmi)
        write(UC_ARM_REG_FAULTMASK, 0);
    wait_until(time_);
    auto next = nvic_.takeable(masks());
    if (!next && to_thread && control_.sleeps_on_exit()) {
        sleep(false);
        next = nvic_.takeable(masks());
    }
    std::uint64_t from = cycle_;
    std::uint32_t frame = to_process ? read(UC_ARM_REG_PSP) : read(UC_ARM_REG_MSP);
    bool floating = !(code & return_without_floating);
    unsigned words = floating ? floating_words : basic_words;
    if (!is_memory(frame, 4 * words))
        stop_engine("the stack pointer " + hex(frame) +
                    " is outside of the memory where a handler returns, PC " + where(pc_));
    if (!next) {
        bool kept = floating && control_.reserved();
        std::uint64_t done = timing_->leave(
            from, frame, floating && !kept ? accessed_words : basic_words, word(frame + 24) & ~1u);
        time_ = clock_.time_of(done);
        while (time_ >= horizon_)
            coroutine_->yield();
        // One that comes while registers come back is taken as if they had never been.
        if ((next = nvic_.takeable(masks()))) {
            std::uint64_t came = came_ ? std::max(came_at_, from) : done;
            if (came < done)
                advance(came);
            else
                next.reset();
        }
        if (!next)
            advance(done);
    }
    if (next) {
        if (observer_ && *next >= first_interrupt)
            observer_->interrupts(*this, word(frame + 24) & ~1u, time_);
        if (observer_)
            observer_->traps(*this, word(frame + 24) & ~1u);
        std::uint32_t vector = control_.vectors() + 4 * *next;
        std::uint64_t began = cycle_;
        advance(timing_->chain(cycle_, vector, word(vector) & ~1u));
        entry_began_ = began;
        return go_to(*next, code);
    }
    restore(code, frame, floating);
}

void Core::restore(std::uint32_t code, std::uint32_t frame, bool floating) {
    std::uint32_t status = word(frame + 28);
    bool to_thread = code & return_to_thread;
    bool in_thread = !(status & exception_mask);
    constexpr int registers[] = {UC_ARM_REG_R0, UC_ARM_REG_R1,  UC_ARM_REG_R2,
                                 UC_ARM_REG_R3, UC_ARM_REG_R12, UC_ARM_REG_LR};
    unsigned n = 0;
    for (int reg : registers)
        write(reg, word(frame + 4 * n++));
    if (floating && !control_.reserved()) {
        for (unsigned each = 0; each < 16; ++each)
            write(UC_ARM_REG_S0 + static_cast<int>(each), word(frame + 4 * (basic_words + each)));
        write(UC_ARM_REG_FPSCR, word(frame + 4 * (basic_words + 16)));
    }
    if (floating)
        control_.fill();
    std::uint32_t after =
        frame + 4 * (floating ? floating_words : basic_words) + (status & aligned_bit ? 4 : 0);
    std::uint32_t control = read(UC_ARM_REG_CONTROL);
    clear_exclusive(); // while no instruction is conditional
    next_ = word(frame + 24) & ~1u;
    if_then_ = from_status(status);
    if (to_thread) {
        write(UC_ARM_REG_CONTROL, 0);
        write(UC_ARM_REG_XPSR, (status & flag_bits) | thumb_bit);
        write(UC_ARM_REG_CONTROL, (control & unprivileged) |
                                      (code & return_to_process ? process_stack : 0) |
                                      (floating ? floating_active : 0));
    } else if (floating) {
        write(UC_ARM_REG_CONTROL, control | floating_active);
    }
    std::uint32_t kept = to_thread ? 0 : status & exception_mask;
    write(UC_ARM_REG_XPSR, (status & (flag_bits | if_then_bits)) | kept | thumb_bit);
    write(UC_ARM_REG_SP, after);
    event_ = true;
    if (!owed_below_.empty()) {
        advance(cycle_ + owed_below_.back());
        owed_below_.pop_back();
    }
    owed_ = 0;
    interruptible_since_ = cycle_;
    entering_ = false;
    came_ = false;
    refresh_limit();
    if (in_thread != to_thread)
        raise_return(0, code);
}

// ---- the FPU ----

bool Core::use_floating() {
    if (!around_.has_fpu || !control_.has_fpu()) {
        fault_now(usage_fault, fault::no_coprocessor, 0,
                  "an instruction of the FPU, which CPACR does not enable");
        return false;
    }
    if (control_.reserved()) {
        save_floating();
        advance(timing_->save_lazily(cycle_, accessed_words - basic_words));
    }
    return true;
}

void Core::save_floating() {
    std::uint32_t to = control_.reserved_at();
    for (unsigned n = 0; n < 16; ++n)
        set_word(to + 4 * n, read(UC_ARM_REG_S0 + static_cast<int>(n)));
    set_word(to + 64, read(UC_ARM_REG_FPSCR));
    write(UC_ARM_REG_FPSCR, control_.floating_status());
    control_.fill();
}

} // namespace twin::armv7m
