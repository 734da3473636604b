// A call stack of its own for each core, so that a load can wait in the middle of an instruction
// until everybody else has reached its time.
#pragma once

#include <csetjmp>
#include <functional>
#include <ucontext.h>

namespace twin {

class Coroutine {
  public:
    // The body must not return.
    explicit Coroutine(std::function<void()> body);
    ~Coroutine();
    Coroutine(const Coroutine &) = delete;
    Coroutine &operator=(const Coroutine &) = delete;

    // Runs the body until it yields. To be called from outside only.
    void resume();

    // Returns from resume(). To be called from the body only.
    void yield();

  private:
    static void enter(unsigned high, unsigned low);

    std::function<void()> body_;
    void *call_stack_;
    // A context begins on the new call stack; from then on jumps change sides, because swapcontext
    // asks the kernel for the signal mask each time.
    ucontext_t start_{};
    bool started_ = false;
    sigjmp_buf inside_;
    sigjmp_buf outside_;
};

} // namespace twin
