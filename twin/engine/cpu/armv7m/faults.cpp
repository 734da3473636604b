// Faults, and other events that the emulator reports as exceptions.
#include "cpu/armv7m/bits.h"
#include "cpu/armv7m/core.h"

#include "core/stop.h"

#include <unicorn/unicorn.h>

namespace twin::armv7m {

namespace {

// Exception numbers of UC_HOOK_INTR.
enum : std::uint32_t {
    intr_undefined = 1,
    intr_svc = 2,
    intr_prefetch_abort = 3,
    intr_data_abort = 4,
    intr_breakpoint = 7,
    intr_exception_exit = 8,
    intr_no_coprocessor = 17,
    intr_invalid_state = 18,
    intr_unaligned = 22,
};

} // namespace

void Core::intercept(std::uint32_t number) {
    if (stop_ != Stop::none || clearing_)
        return;
    switch (number) {
    case intr_exception_exit:
        left_ = read(UC_ARM_REG_PC) | 1;
        return stop_emulation(Stop::left);
    case intr_svc:
        return call_supervisor();
    case intr_breakpoint:
        return fault_now(hard_fault, 0, 0, "a breakpoint, and no debugger is there");
    case intr_no_coprocessor:
        return fault_now(usage_fault, fault::no_coprocessor, 0, "an instruction of a coprocessor");
    case intr_invalid_state:
        return fault_now(usage_fault, fault::invalid_state, 0,
                         "a jump to an address without bit 0");
    case intr_prefetch_abort:
        return fault_now(bus_fault, fault::instruction_bus, 0, "a jump to where no memory is");
    case intr_data_abort:
        return fault_now(bus_fault, fault::precise, 0, "an access to where nothing is");
    case intr_unaligned:
        return fault_now(usage_fault, fault::unaligned, 0, "an access that is not aligned");
    default:
        return fault_now(usage_fault, fault::undefined, 0, "an undefined instruction");
    }
}

// SVC continues after itself.
void Core::call_supervisor() {
    std::uint32_t after = pc_ + (current_ ? current_->size : 2u);
    if (current_) {
        advance(timing_->end(after));
        current_ = nullptr;
    }
    next_ = after;
    if (nvic_.group_priority(sv_call) >= nvic_.execution_priority(masks())) {
        fault_now(hard_fault, 0, 0, "SVC, which the priority of what executes keeps back");
        next_ = after;
        return;
    }
    nvic_.set_pending(sv_call, true);
    taken_ = sv_call;
    arrival_ = cycle_;
    entering_ = false;
    stop_emulation(Stop::exception);
}

// By an access, whose instruction does not end before the emulator has gone on.
void Core::raise(unsigned exception, std::uint32_t configurable, std::uint32_t address,
                 const std::string &what) {
    if (pending_fault_)
        return;
    pending_fault_ = exception;
    pending_status_ = configurable;
    pending_address_ = address;
    pending_what_ = what;
}

// A null pointer is in flash, which is memory here.
void Core::note_flash(std::uint32_t address) {
    for (const auto &alias : around_.aliases) {
        bool is_flash = address - alias.base < alias.size || address - alias.of < alias.size;
        if (!is_flash || stored_to_flash_)
            continue;
        stored_to_flash_ = true;
        around_.note("a store to flash at " + hex(address) + ", PC " + where(pc_) +
                     ": the chip ignores it unless PG of FLASH_CR is 1; here it is done");
    }
}

void Core::fault_now(unsigned exception, std::uint32_t configurable, std::uint32_t address,
                     const std::string &what) {
    if (clearing_)
        return;
    raise(exception, configurable, address, what);
    bool by_fetch = configurable & (fault::instruction_bus | fault::invalid_state);
    if (!by_fetch)
        next_ = pc_;
    else
        next_ = read(UC_ARM_REG_PC) & ~1u;
    if (current_) {
        advance(timing_->end(next_));
        current_ = nullptr;
    }
    stop_emulation(Stop::fault);
}

// A return that cannot be one.
void Core::raise_return(unsigned number, std::uint32_t) {
    if (number) {
        nvic_.deactivate(number);
    }
    raise(usage_fault, fault::invalid_pc, 0, "a return from an exception by a wrong value");
    stop_ = Stop::fault;
    take_fault();
}

void Core::take_fault() {
    unsigned exception = pending_fault_;
    pending_fault_ = 0;
    if_then_ = began_if_then_;
    control_.set_fault(pending_status_, pending_address_);
    std::string told = pending_what_ + " at " + where(next_);
    if (pending_status_ & fault::bus_address_valid)
        told = pending_what_ + ", address " + hex(pending_address_) + ", at " + where(next_);
    last_fault_ = told;
    int executes = nvic_.execution_priority(masks());
    bool goes = exception != hard_fault && control_.fault_enabled(exception) &&
                nvic_.group_priority(exception) < executes;
    if (!goes) {
        if (executes <= -1)
            stop_engine("the program locks up: " + told +
                        ", in a handler that nothing may "
                        "interrupt; the first fault was " +
                        (hard_fault_.empty() ? "this" : hard_fault_));
        if (exception != hard_fault)
            control_.set_hard_fault(fault::forced);
        else
            control_.set_hard_fault(pending_status_ ? 0 : fault::debug);
        exception = hard_fault;
        if (hard_fault_.empty()) {
            hard_fault_ = told;
            around_.note("HardFault: " + told);
        }
    }
    nvic_.set_pending(exception, true);
    entering_ = false;
    arrival_ = cycle_;
    take(exception);
}

} // namespace twin::armv7m
