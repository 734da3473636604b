// Who called the function that a program executes, from the instructions that it has executed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace twin {

// What an instruction does to the flow of a program.
enum class Flow : std::uint8_t {
    on,        // nothing that it would come back from
    call,      // calls a function, which returns to the next one
    back,      // returns from a function
    trap,      // asks for an exception of which nobody else tells
    from_trap, // returns from an interrupt or an exception
};

class CallChain {
  public:
    struct Instruction {
        std::uint64_t pc;
        unsigned size; // bytes
        Flow flow;
    };
    using StackPointer = std::function<std::uint64_t()>;

    // The next instruction begins.
    void executes(const Instruction &now, const StackPointer &stack);

    // An interrupt or exception is taken in front of the next one, which goes back to `to`.
    void traps(std::uint64_t to, const StackPointer &stack);

    // Where the function that executes returns to, then where its caller does, and so on, to the
    // trap or to the begin of the program; `further` at the end of a longer chain than `most`.
    static constexpr std::size_t most = 24;
    static constexpr std::uint64_t further = UINT64_MAX;
    std::vector<std::uint64_t> callers() const;

  private:
    struct Frame {
        bool trap;           // else of a function
        std::uint64_t value; // its stack pointer; else where the function returns to
    };
    // A thread's active calls, the innermost last.
    using Thread = std::vector<Frame>;

    void settle(std::uint64_t went, const StackPointer &stack);
    void push(const Frame &frame);
    void leave_function(std::uint64_t to);
    void leave_trap(std::uint64_t stack);
    void go_on_with(Thread thread);

    Thread current_;
    std::vector<Thread> parked_; // what others have
    std::optional<Instruction> last_;
};

} // namespace twin
