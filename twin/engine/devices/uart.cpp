#include "devices/uart.h"

#include "core/core.h"
#include "devices/serial_wire.h"

#include <algorithm>

namespace twin {

namespace {

// Register offsets and bits: UG1087, module UART.
constexpr std::uint32_t reg_control = 0x00, reg_mode = 0x04, reg_ier = 0x08, reg_idr = 0x0C;
constexpr std::uint32_t reg_imr = 0x10, reg_isr = 0x14, reg_baudgen = 0x18, reg_rxtout = 0x1C;
constexpr std::uint32_t reg_rxwm = 0x20, reg_sr = 0x2C, reg_fifo = 0x30, reg_bauddiv = 0x34;
constexpr std::uint32_t reg_modem = 0x24, reg_modem_status = 0x28, reg_flow_delay = 0x38;
constexpr std::uint32_t reg_txwm = 0x44, modem_automatic = 0x20;

constexpr std::uint32_t cr_rxrst = 1u << 0, cr_txrst = 1u << 1, cr_rxen = 1u << 2;
constexpr std::uint32_t cr_rxdis = 1u << 3, cr_txen = 1u << 4, cr_txdis = 1u << 5;
constexpr std::uint32_t cr_rstto = 1u << 6, cr_known = 0x17F;

constexpr std::uint32_t mode_8n1 = 0x20, mode_loopback = 0x220;

constexpr std::uint32_t int_rtrig = 1u << 0, int_rempty = 1u << 1, int_rfull = 1u << 2;
constexpr std::uint32_t int_tempty = 1u << 3, int_tfull = 1u << 4, int_rover = 1u << 5;
constexpr std::uint32_t int_frame = 1u << 6, int_timeout = 1u << 8, int_ttrig = 1u << 10;
constexpr std::uint32_t int_tnful = 1u << 11, int_tover = 1u << 12, int_known = 0x1FFF;

constexpr std::uint32_t sr_tactive = 1u << 11, sr_ttrig = 1u << 13, sr_tnful = 1u << 14;

constexpr unsigned frame_bits = 10;

// A bridge that loses bytes loses one in so many.
constexpr unsigned lossy_interval = 251;

} // namespace

Uart::Uart(EventQueue &events, const UartPlace &place, const UartFaults &faults,
           const UartVariants &variants, Wiring wiring)
    : events_(events), place_(place), faults_(faults), fifo_depth_(variants.uart_fifo),
      wiring_(std::move(wiring)), divisor_(place.divisor), divider_(place.divider) {}

// Duration of a bit at a nominal rate.
Time Uart::bit_of(unsigned baud) const { return place_.ref_hz * place_.ref_cycle / baud; }

Time Uart::bit_time() const {
    Time bit = Time{divisor_} * (divider_ + 1) * place_.ref_cycle;
    bool slow = faults_.slow_rate && fits(bit_of(static_cast<unsigned>(faults_.slow_rate)), bit);
    return slow ? bit + bit / 20 : bit;
}

std::uint32_t Uart::status() const {
    std::uint32_t value = 0;
    if (receive_trigger_ && receive_.size() >= receive_trigger_)
        value |= int_rtrig;
    if (receive_.empty())
        value |= int_rempty;
    if (receive_.size() >= fifo_depth_)
        value |= int_rfull;
    if (transmit_.empty())
        value |= int_tempty;
    if (transmit_.size() >= fifo_depth_)
        value |= int_tfull;
    if (sending_)
        value |= sr_tactive;
    if (transmit_trigger_ && transmit_.size() >= transmit_trigger_)
        value |= sr_ttrig;
    if (transmit_.size() + 1 == fifo_depth_)
        value |= sr_tnful;
    return value;
}

// ISR follows the status bits as long as they are set; the rest stays until written.
void Uart::update(Time now) {
    std::uint32_t value = status();
    interrupts_ |= value & (int_rtrig | int_rempty | int_rfull | int_tempty | int_tfull);
    if (value & sr_ttrig)
        interrupts_ |= int_ttrig;
    if (value & sr_tnful)
        interrupts_ |= int_tnful;
    bool line = interrupts_ & mask_;
    if (line == line_)
        return;
    line_ = line;
    Time seen = now + place_.interrupt_delay;
    events_.post(seen, [this, line, seen] { wiring_.interrupt(line, seen); });
}

bool Uart::transmits() const { return (control_ & cr_txen) && !(control_ & cr_txdis); }

void Uart::start_sending(Time now) {
    if (sending_ || transmit_.empty() || !transmits())
        return;
    shift_ = transmit_.front();
    transmit_.pop_front();
    sending_ = true;
    Time done = now + frame_bits * bit_time();
    events_.post(done, [this, done] { byte_sent(done); });
}

void Uart::byte_sent(Time now) {
    sending_ = false;
    if (mode_ == mode_loopback) {
        byte_arrived(shift_, false, now);
    } else {
        ++sent_;
        Time bit = wiring_.host_baud ? bit_of(wiring_.host_baud()) : bit_time();
        std::uint8_t byte =
            fits(bit, bit_time()) ? shift_ : sample_byte(shift_, bit_time(), bit).byte;
        bool is_swallowed = byte < 64 && (faults_.swallowed >> byte & 1);
        if (!faults_.mute && !is_swallowed)
            wiring_.transmit(byte);
    }
    start_sending(now);
    update(now);
}

Time Uart::receive(std::uint8_t byte, Time time) {
    Time bit = bit_of(wiring_.host_baud());
    Time over = time + frame_bits * bit;
    if (wiring_.host_baud() >= faults_.lossy_from && ++lossy_bytes_ % lossy_interval == 0)
        return over;
    events_.post(over, [this, byte, bit, over] {
        if (mode_ == mode_loopback)
            return; // the pin is not connected
        bool good = fits(bit, bit_time());
        Sampled seen = good ? Sampled{byte, false} : sample_byte(byte, bit, bit_time());
        byte_arrived(seen.byte, !good || seen.framing_error, over);
    });
    return over;
}

void Uart::byte_arrived(std::uint8_t byte, bool framing_error, Time now) {
    if (!(control_ & cr_rxen) || (control_ & cr_rxdis))
        return;
    ++received_;
    empty_polls_ = 0;
    if (framing_error)
        interrupts_ |= int_frame;
    if (receive_.size() >= fifo_depth_)
        interrupts_ |= int_rover;
    else
        receive_.push_back(byte);
    restart_timeout(now);
    update(now);
}

// Receiver timeout: RXTOUT x 4 bit times after the last byte, if one waits.
void Uart::restart_timeout(Time now) {
    ++timeout_generation_;
    if (timeout_ == 0)
        return;
    Time due = now + Time{timeout_} * 4 * bit_time();
    events_.post(due, [this, due, generation = timeout_generation_] {
        if (generation != timeout_generation_ || receive_.empty())
            return;
        interrupts_ |= int_timeout;
        update(due);
    });
}

std::uint32_t Uart::load(const Access &access) {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    bool idle = receive_.empty() && transmit_.empty() && !sending_;
    bool empty_poll = idle && (access.address & 0xFFF) == reg_sr;
    empty_polls_ = empty_poll ? empty_polls_ + 1 : 0;
    switch (access.address & 0xFFF) {
    case reg_control:
        return control_;
    case reg_mode:
        return mode_;
    case reg_imr:
        return mask_;
    case reg_isr:
        return interrupts_;
    case reg_baudgen:
        return divisor_;
    case reg_rxtout:
        return timeout_;
    case reg_rxwm:
        return receive_trigger_;
    case reg_sr:
        return status();
    case reg_bauddiv:
        return divider_;
    case reg_txwm:
        return transmit_trigger_;
    case reg_modem:
        return modem_;
    case reg_modem_status:
        return 0;
    case reg_flow_delay:
        return flow_delay_;
    case reg_fifo: {
        if (receive_.empty())
            return 0; // as the hardware: SR.RXEMPTY tells
        std::uint8_t byte = receive_.front();
        receive_.pop_front();
        update(access.core->time());
        return byte;
    }
    default:
        refuse_access(*this, access, "no such readable register");
    }
}

void Uart::check_store(const Access &access, std::uint32_t value) const {
    if (access.size != 4 || access.address % 4)
        refuse_access(*this, access, "only aligned 32-bit accesses");
    auto demand = [&](bool good, const char *what) {
        if (!good)
            refuse_access(*this, access, what);
    };
    switch (access.address & 0xFFF) {
    case reg_control:
        return demand(!(value & ~cr_known), "breaks are not modelled");
    case reg_mode:
        return demand(value == mode_8n1 || value == mode_loopback,
                      "only 8N1, normal or local loopback, is modelled");
    case reg_idr:
    case reg_isr:
        return; // ones in reserved bits are the usual "all of them"
    case reg_ier:
        return demand(!(value & ~std::uint32_t{0x3FFF}), "reserved bits");
    case reg_baudgen:
        return demand(value >= 1 && value <= 0xFFFF, "CD out of range 1..65535");
    case reg_bauddiv:
        return demand(value >= 4 && value <= 0xFF, "BDIV out of range 4..255");
    case reg_rxtout:
    case reg_fifo:
        return demand(value <= 0xFF, "more than a byte");
    case reg_modem:
        return demand(!(value & modem_automatic), "flow control is not modelled");
    case reg_modem_status: // ones clear
        return;
    case reg_rxwm:
    case reg_txwm:
    case reg_flow_delay:
        return demand(value <= 0x3F, "more than 63");
    default:
        refuse_access(*this, access, "no such writable register");
    }
}

Time Uart::store(const Access &access, std::uint32_t value, Time arrival) {
    empty_polls_ = 0;
    switch (access.address & 0xFFF) {
    case reg_control:
        if (value & cr_rxrst)
            receive_.clear();
        if (value & cr_txrst)
            transmit_.clear();
        if (value & cr_rstto)
            restart_timeout(arrival);
        control_ = value & ~(cr_rxrst | cr_txrst | cr_rstto);
        start_sending(arrival);
        break;
    case reg_mode:
        mode_ = value;
        break;
    case reg_ier:
        mask_ |= value & int_known;
        break;
    case reg_idr:
        mask_ &= ~value;
        break;
    case reg_isr:
        interrupts_ &= ~value;
        break;
    case reg_baudgen:
        divisor_ = value;
        break;
    case reg_bauddiv:
        divider_ = value;
        break;
    case reg_rxtout:
        timeout_ = value;
        break;
    case reg_rxwm:
        receive_trigger_ = value;
        break;
    case reg_txwm:
        transmit_trigger_ = value;
        break;
    case reg_modem:
        modem_ = value;
        break;
    case reg_flow_delay:
        flow_delay_ = value;
        break;
    case reg_fifo:
        if (transmit_.size() >= fifo_depth_)
            interrupts_ |= int_tover;
        else
            transmit_.push_back(static_cast<std::uint8_t>(value));
        if (!transmits() && wiring_.kept)
            wiring_.kept(name(), control_);
        start_sending(arrival);
        break;
    }
    update(arrival);
    return arrival;
}

} // namespace twin
