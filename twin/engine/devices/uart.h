// Cadence UART: 8N1, baud rate from a reference clock.
//
// The outside is a wire of bits: a byte that is sent at one rate and read at another arrives
// as what sampling at the wrong times makes of it.
#pragma once

#include "core/board.h"
#include "core/device.h"
#include "core/events.h"

#include <cstdint>
#include <deque>
#include <functional>

namespace twin {

// A UART of a board. Its reference counts `ref_hz` in nominal time, a cycle lasts `ref_cycle`.
struct UartPlace {
    const char *name;
    std::uint64_t base;
    Time path;            // core <-> UART, one way
    Time interrupt_delay; // until the interrupt controller sees it
    Time ref_cycle;
    std::uint64_t ref_hz;
    std::uint32_t divisor, divider; // BAUDGEN.CD and BAUDDIV.BDIV as the board's set-up leaves them
};

struct UartFaults {
    std::uint64_t slow_rate = 0;      // at this one bits are 5 % too long
    std::uint64_t lossy_from = never; // from this rate on bytes to the board get lost
    std::uint64_t mute = 0;           // nothing is sent
    std::uint64_t swallowed = 0;      // bit n: the adapter swallows sent byte n, below 64
};

// What two sources tell differently.
struct UartVariants {
    // Bytes of each FIFO.
    std::uint64_t uart_fifo = 64;
};

class Uart : public Device, public SerialPort {
  public:
    struct Wiring {
        std::function<void(bool level, Time time)> interrupt;
        std::function<void(std::uint8_t byte)> transmit;
        std::function<unsigned()>
            host_baud; // rate at which the host sends and reads, bit/s; none: any
        // A byte was stored while the transmitter is off.
        std::function<void(const char *name, std::uint32_t control)> kept = {};
    };
    Uart(EventQueue &events, const UartPlace &place, const UartFaults &faults,
         const UartVariants &variants, Wiring wiring);

    // A byte is over at the host's rate.
    Time receive(std::uint8_t byte, Time time) override;

    // Polls are loads of SR.
    unsigned empty_polls() const override { return empty_polls_; }

    std::uint64_t bytes_sent() const override { return sent_; }
    std::uint64_t bytes_received() const override { return received_; }

    // Time of one bit as programmed.
    Time bit_time() const;

    const char *name() const override { return place_.name; }
    std::vector<std::uint64_t> pages() const override { return {place_.base}; }
    Time path() const override { return place_.path; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  private:
    Time bit_of(unsigned baud) const;
    std::uint32_t status() const;
    void update(Time now);
    bool transmits() const;
    void start_sending(Time now);
    void byte_sent(Time now);
    void byte_arrived(std::uint8_t byte, bool framing_error, Time now);
    void restart_timeout(Time now);

    EventQueue &events_;
    const UartPlace place_;
    const UartFaults &faults_;
    const std::size_t fifo_depth_;
    Wiring wiring_;

    std::uint32_t control_ = 0x128; // reset values: UG1087
    std::uint32_t mode_ = 0;
    std::uint32_t mask_ = 0;
    std::uint32_t interrupts_ = 0;
    std::uint32_t divisor_; // BAUDGEN.CD
    std::uint32_t divider_; // BAUDDIV.BDIV
    std::uint32_t timeout_ = 0;
    std::uint32_t modem_ = 0;      // no modem is connected
    std::uint32_t flow_delay_ = 0; // of the transmitter; without flow control it does nothing
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

} // namespace twin
