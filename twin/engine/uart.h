// Cadence UART 0 (0xFF000000): 8N1, 64-byte FIFOs, baud rate from a 99.99 MHz reference.
//
// The outside is a wire of bits: a byte that is sent at one rate and read at another arrives
// as what sampling at the wrong times makes of it.
#pragma once

#include "device.h"
#include "events.h"
#include "faults.h"
#include "profile.h"
#include "variants.h"

#include <cstdint>
#include <deque>
#include <functional>

namespace twin {

class Uart : public Device {
  public:
    struct Wiring {
        std::function<void(bool level, Time time)> interrupt;
        std::function<void(std::uint8_t byte)> transmit;
        std::function<unsigned()> host_baud; // rate at which the host sends and reads, bit/s
    };
    Uart(EventQueue &events, const Profile &profile, const Faults &faults, const Variants &variants,
         Wiring wiring);

    // A byte from the host; its start bit falls at `time`.
    // Returns when the byte is over (at the host's rate).
    Time receive(std::uint8_t byte, Time time);

    // Loads of SR in a row that said that nothing has come and all is sent; any other access
    // starts anew.
    unsigned empty_polls() const { return empty_polls_; }

    std::uint64_t bytes_sent() const { return sent_; }
    std::uint64_t bytes_received() const { return received_; }

    // Time of one bit as programmed.
    Time bit_time() const;

    const char *name() const override { return "UART0"; }
    std::vector<std::uint64_t> pages() const override { return {0xFF00'0000}; }
    Time path() const override { return profile_.peripheral_path; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    std::uint32_t status() const;
    void update(Time now);
    void start_sending(Time now);
    void byte_sent(Time now);
    void byte_arrived(std::uint8_t byte, bool framing_error, Time now);
    void restart_timeout(Time now);

    EventQueue &events_;
    const Profile &profile_;
    const Faults &faults_;
    const std::size_t fifo_depth_;
    Wiring wiring_;

    std::uint32_t control_ = 0x128; // reset values: UG1087
    std::uint32_t mode_ = 0;
    std::uint32_t mask_ = 0;
    std::uint32_t interrupts_ = 0;
    std::uint32_t divisor_ = 0x28B; // BAUDGEN.CD
    std::uint32_t divider_ = 0xF;   // BAUDDIV.BDIV
    std::uint32_t timeout_ = 0;
    std::uint32_t receive_trigger_ = 0x20;
    std::uint32_t transmit_trigger_ = 0x20;
    std::deque<std::uint8_t> receive_;
    std::deque<std::uint8_t> transmit_;
    bool sending_ = false;
    std::uint8_t shift_ = 0;
    bool line_ = false;
    unsigned empty_polls_ = 0;
    std::uint64_t timeout_generation_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    unsigned lossy_bytes_ = 0;
};

// What a receiver of `reader_bit` makes of `byte` sent with `sender_bit` (times of one bit):
// the byte it assembles and whether its stop bit is wrong.
struct Sampled {
    std::uint8_t byte;
    bool framing_error;
};
Sampled sample_byte(std::uint8_t byte, Time sender_bit, Time reader_bit);

} // namespace twin
