// The pseudo-terminal: where the board's USB-UART would be.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace twin {

class Pty {
  public:
    // Opens one, raw, at the UART's rate after reset. `wake_fd` becomes readable when the engine
    // has to end.
    explicit Pty(int wake_fd);
    ~Pty();
    Pty(const Pty &) = delete;
    Pty &operator=(const Pty &) = delete;

    // "/dev/pts/N"
    const std::string &port() const { return port_; }

    // Rate that the host has set, bit/s.
    unsigned host_baud() const;

    // Sends a byte, at once or when the reader has made room. Never blocks, never loses.
    void send(std::uint8_t byte);
    void flush();

    // To be called now and then while the engine works. A host that waits for an answer is sent an
    // empty frame ten times a second of wall time, which says that something goes on: where none
    // comes, its request was lost. Not before a frame has ended, nor within one.
    void at_work();

    // Whether the host has sent something that was not taken yet (rtl/system asks).
    bool has_byte() const;

    // Next byte from the host; waits for it in wall time. No value: the engine has to end.
    std::optional<std::uint8_t> wait_byte();

  private:
    int wake_fd_;
    int master_ = -1;
    int slave_ = -1; // kept open: the line must not hang up between two programs of the host
    std::string port_;
    std::string out_;
    bool between_frames_ = false;
    std::uint64_t last_sign_ms_ = 0; // of wall time: a byte was sent
    std::deque<std::uint8_t> in_;
};

} // namespace twin
