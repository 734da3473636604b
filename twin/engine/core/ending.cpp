#include "core/ending.h"

#include "core/stop.h"

#include <csignal>
#include <thread>
#include <unistd.h>

namespace twin {

namespace {

// A signal's handler reaches nothing else.
std::atomic<bool> ending{false};
int ends[2];

// Whoever is busy elsewhere has so long to see that there is to be an end, s. Below the time that
// the host waits.
constexpr unsigned grace = 4;

void end() {
    ending = true;
    alarm(grace);
    [[maybe_unused]] ssize_t count = write(ends[1], "q", 1);
}

void on_signal(int) { end(); }

void on_alarm(int) { _exit(exit_stopped); }

} // namespace

Ending::Ending() {
    if (pipe(ends) != 0)
        refuse("no pipe");
    std::signal(SIGTERM, on_signal);
    std::signal(SIGINT, on_signal);
    std::signal(SIGALRM, on_alarm);
}

const std::atomic<bool> &Ending::asked() const { return ending; }

int Ending::descriptor() const { return ends[0]; }

void Ending::watch_parent() {
    std::thread([] {
        char buffer[256];
        while (read(STDIN_FILENO, buffer, sizeof buffer) > 0) {
        }
        end();
    }).detach();
}

} // namespace twin
