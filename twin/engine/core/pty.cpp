#include "core/pty.h"

#include "core/pty_speed.h"
#include "core/stop.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

namespace twin {

namespace {
constexpr std::size_t flush_at = 256; // bytes; the link point flushes the rest
constexpr std::uint64_t sign_ms = 100;

// Wall time; coarse, because it is asked for in each quantum of the scheduler.
std::uint64_t wall_ms() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}
} // namespace

Pty::Pty(int wake_fd) : wake_fd_(wake_fd) {
    auto check = [](bool good) {
        if (!good)
            refuse(std::string("cannot open a pseudo-terminal: ") + std::strerror(errno));
    };
    master_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    check(master_ >= 0 && grantpt(master_) == 0 && unlockpt(master_) == 0);
    const char *name = ptsname(master_);
    check(name != nullptr);
    port_ = name;
    slave_ = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    check(slave_ >= 0);
    termios settings;
    check(tcgetattr(slave_, &settings) == 0);
    cfmakeraw(&settings);
    check(cfsetspeed(&settings, B115200) == 0 && tcsetattr(slave_, TCSANOW, &settings) == 0);
    check(fcntl(master_, F_SETFL, O_NONBLOCK) == 0);
}

Pty::~Pty() {
    close(slave_);
    close(master_);
}

unsigned Pty::host_baud() const { return terminal_speed(slave_); }

void Pty::send(std::uint8_t byte) {
    out_.push_back(static_cast<char>(byte));
    between_frames_ = byte == 0;
    last_sign_ms_ = wall_ms();
    if (out_.size() >= flush_at)
        flush();
}

void Pty::flush() {
    while (!out_.empty()) {
        ssize_t count = write(master_, out_.data(), out_.size());
        if (count > 0)
            out_.erase(0, static_cast<std::size_t>(count));
        else if (errno != EINTR)
            return; // no room: later
    }
}

void Pty::at_work() {
    if (!between_frames_ || !out_.empty() || wall_ms() - last_sign_ms_ < sign_ms)
        return;
    send(0);
    flush();
}

bool Pty::has_byte() const {
    pollfd fd = {master_, POLLIN, 0};
    return !in_.empty() || poll(&fd, 1, 0) > 0;
}

std::optional<std::uint8_t> Pty::wait_byte() {
    for (;;) {
        flush();
        if (!in_.empty()) {
            std::uint8_t byte = in_.front();
            in_.pop_front();
            return byte;
        }
        short events = out_.empty() ? POLLIN : POLLIN | POLLOUT;
        pollfd fds[] = {{master_, events, 0}, {wake_fd_, POLLIN, 0}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            refuse(std::string("poll: ") + std::strerror(errno));
        if (fds[1].revents)
            return std::nullopt;
        std::uint8_t buffer[4096];
        ssize_t count = read(master_, buffer, sizeof buffer);
        if (count > 0)
            in_.insert(in_.end(), buffer, buffer + count);
    }
}

} // namespace twin
