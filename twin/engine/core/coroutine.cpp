#include "core/coroutine.h"

#include "core/stop.h"

#include <cstdint>
#include <sys/mman.h>

namespace twin {

namespace {
// The translator of the CPU emulator runs on it; pages are taken only as they are touched.
constexpr std::size_t call_stack_size = 8u << 20;
} // namespace

Coroutine::Coroutine(std::function<void()> body) : body_(std::move(body)) {
    call_stack_ = mmap(nullptr, call_stack_size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (call_stack_ == MAP_FAILED)
        refuse("no memory for the call stack of a core");
    getcontext(&start_);
    start_.uc_stack.ss_sp = call_stack_;
    start_.uc_stack.ss_size = call_stack_size;
    start_.uc_link = nullptr;
    // makecontext passes ints only.
    auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&start_, reinterpret_cast<void (*)()>(&Coroutine::enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

Coroutine::~Coroutine() { munmap(call_stack_, call_stack_size); }

void Coroutine::enter(unsigned high, unsigned low) {
    auto self = static_cast<std::uintptr_t>(high) << 32 | low;
    reinterpret_cast<Coroutine *>(self)->body_();
    stop_engine("internal: the body of a core has returned");
}

void Coroutine::resume() {
    if (sigsetjmp(outside_, 0))
        return; // the body has yielded
    if (started_)
        siglongjmp(inside_, 1);
    started_ = true;
    setcontext(&start_);
}

void Coroutine::yield() {
    if (!sigsetjmp(inside_, 0))
        siglongjmp(outside_, 1);
}

} // namespace twin
