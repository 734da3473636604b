#include "core/call_chain.h"

#include <algorithm>
#include <utility>

namespace twin {

namespace {

// More come from code that leaves functions in ways of its own.
constexpr std::size_t deepest = 4096, most_threads = 256;

} // namespace

void CallChain::executes(const Instruction &now, const StackPointer &stack) {
    if (last_)
        settle(now.pc, stack);
    last_ = now;
}

void CallChain::traps(std::uint64_t to, const StackPointer &stack) {
    if (last_ && last_->pc != to) // else it was begun in vain
        settle(to, stack);
    last_.reset();
    push({true, stack()});
}

// Effect of the last instruction, once its successor is known.
void CallChain::settle(std::uint64_t went, const StackPointer &stack) {
    std::uint64_t next = last_->pc + last_->size;
    bool goes_on = went == next; // a condition does not hold
    if (last_->flow == Flow::call && !goes_on)
        push({false, next});
    if (last_->flow == Flow::back && !goes_on)
        leave_function(went);
    if (last_->flow == Flow::trap)
        push({true, stack()});
    if (last_->flow == Flow::from_trap)
        leave_trap(stack());
}

std::vector<std::uint64_t> CallChain::callers() const {
    std::vector<std::uint64_t> found;
    for (auto frame = current_.rbegin(); frame != current_.rend() && !frame->trap; ++frame) {
        bool whole = found.size() < most;
        found.push_back(whole ? frame->value : further);
        if (!whole)
            break;
    }
    return found;
}

void CallChain::push(const Frame &frame) {
    if (current_.size() == deepest)
        current_.erase(current_.begin(), current_.begin() + deepest / 2);
    current_.push_back(frame);
}

// Several may be left at once; or another thread goes on, which has left by a call.
void CallChain::leave_function(std::uint64_t to) {
    auto waits = [&](const Frame &frame) { return !frame.trap && frame.value == to; };
    for (std::size_t n = current_.size(); n > 0 && !current_[n - 1].trap; --n)
        if (waits(current_[n - 1]))
            return current_.resize(n - 1);
    auto found = std::find_if(parked_.begin(), parked_.end(), [&](const Thread &thread) {
        return !thread.empty() && waits(thread.back());
    });
    if (found == parked_.end())
        return go_on_with({});
    Thread thread = std::move(*found);
    parked_.erase(found);
    thread.pop_back();
    go_on_with(std::move(thread));
}

// The thread goes on whose stack pointer was the one that is now in use, or a new one.
void CallChain::leave_trap(std::uint64_t stack) {
    auto leaves = [&](Thread &thread) {
        auto trap = std::find_if(thread.rbegin(), thread.rend(),
                                 [](const Frame &frame) { return frame.trap; });
        if (trap == thread.rend() || trap->value != stack)
            return false;
        thread.erase(trap.base() - 1, thread.end());
        return true;
    };
    if (leaves(current_))
        return;
    auto found = std::find_if(parked_.begin(), parked_.end(), leaves);
    if (found == parked_.end())
        return go_on_with({});
    Thread thread = std::move(*found);
    parked_.erase(found);
    go_on_with(std::move(thread));
}

void CallChain::go_on_with(Thread thread) {
    if (!current_.empty())
        parked_.push_back(std::move(current_));
    if (parked_.size() > most_threads)
        parked_.erase(parked_.begin());
    current_ = std::move(thread);
}

} // namespace twin
