// When the process is to end: a signal, or nobody left behind standard input.
#pragma once

#include <atomic>

namespace twin {

// One in a process. From its construction SIGTERM and SIGINT are asked for.
class Ending {
  public:
    Ending();

    // True from the first reason on.
    const std::atomic<bool> &asked() const;
    // A descriptor that can be read then: it wakes who waits for bytes.
    int descriptor() const;
    // The parent holds the other end of standard input: when it is gone, so are we.
    void watch_parent();
};

} // namespace twin
