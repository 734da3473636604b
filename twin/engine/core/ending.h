// The end of the process: by a signal, or when standard input is closed.
#pragma once

#include <atomic>

namespace twin {

// There is one in a process. From its construction on it catches SIGTERM and SIGINT. Some seconds
// after the first reason it ends the process, should nothing else have done so.
class Ending {
  public:
    Ending();

    // True from the first reason on.
    const std::atomic<bool> &asked() const;
    // A descriptor that can be read from then on: it wakes whoever waits for bytes.
    int descriptor() const;
    // The parent holds the other end of standard input: when it ends, this process ends too.
    void watch_parent();
};

} // namespace twin
