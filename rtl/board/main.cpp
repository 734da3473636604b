// irqscope-board: all of a board's FPGA in simulation, firmware included, behind a pseudo-terminal.
// What is outside the FPGA is here: the bits of the UART, and wires from outputs to inputs.
//
// Time is still from 3000 ticks after the end of an answer until the host has sent a whole frame;
// then its bytes enter one after the other. So simulated time is a function of the bytes alone,
// and known from the pins: an RTL and a netlist keep the same time.
#include "core/command_line.h"
#include "core/ending.h"
#include "core/pty.h"
#include "core/stop.h"
#include "core/trace.h"

#include <Vboard.h>
#include <deque>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr unsigned bits_of_frame = 10, data_bits = 8;
constexpr unsigned rest_ticks = 3000; // the firmware has gone to sleep by then
constexpr unsigned look_ticks = 4096; // whether somebody wants an end, or has sent more

constexpr auto number = twin::number<std::uint32_t>;

// An output reaches an input so many ticks later.
struct Wire {
    unsigned output, input;
    std::deque<bool> under_way;
};

Wire wire(const std::string &text) {
    auto first = text.find('-'), second = text.find('-', first + 1);
    if (first == std::string::npos || second == std::string::npos)
        twin::refuse("--wire wants OUTPUT-INPUT-TICKS, not " + text);
    Wire found{
        number(text.substr(0, first)), number(text.substr(first + 1, second - first - 1)), {}};
    unsigned ticks = number(text.substr(second + 1));
    if (found.output > 7 || found.input > 7 || ticks == 0 || ticks > 1'000'000)
        twin::refuse("--wire: outputs and inputs are 0 to 7, ticks 1 to 1000000, not " + text);
    found.under_way.assign(ticks, false);
    return found;
}

class Simulation {
  public:
    Simulation(std::uint32_t tick_hz, std::vector<Wire> wires, const std::string &pins,
               twin::Pty &pty, const std::atomic<bool> &quit)
        : tick_hz_(tick_hz), wires_(std::move(wires)), pty_(pty), quit_(quit), pins_(pins) {
        model_.clk = 0;
        model_.rx = 1;
        model_.pmod_in = 0;
        model_.eval();
    }
    ~Simulation() { model_.final(); }

    void run() {
        while (!quit_.load(std::memory_order_relaxed)) {
            if (now_ % look_ticks == 0) {
                pty_.at_work();
                if (waiting_ && pty_.has_byte())
                    ask();
            }
            if (!waiting_ && ++rested_ > rest_ticks && !ask())
                return;
            tick();
        }
    }

  private:
    // Takes a frame of the host, in wall time. False: there is to be an end.
    bool ask() {
        for (bool some = false;;) {
            auto byte = pty_.wait_byte();
            if (!byte)
                return false;
            to_send_.push_back(*byte);
            some = some || *byte != 0;
            if (some && *byte == 0)
                break;
        }
        waiting_ = true;
        return true;
    }

    unsigned bit_ticks() const {
        unsigned baud = pty_.host_baud();
        return (tick_hz_ + baud / 2) / baud;
    }

    void tick() {
        send();
        model_.pmod_in = 0;
        for (auto &wire : wires_) {
            model_.pmod_in |= wire.under_way.front() << wire.input;
            wire.under_way.pop_front();
        }
        model_.clk = 1;
        model_.eval();
        model_.clk = 0;
        model_.eval();
        for (auto &wire : wires_)
            wire.under_way.push_back(model_.pmod >> wire.output & 1);
        receive();
        ++now_;
        if (pins_.enabled()) {
            pins_.change(now_, "tx", model_.tx);
            pins_.change(now_, "rx", model_.rx);
            pins_.change(now_, "pmod", model_.pmod);
        }
    }

    // Bits towards the board.
    void send() {
        if (out_left_ == 0) {
            model_.rx = 1;
            if (to_send_.empty())
                return;
            out_bit_ = bit_ticks();
            out_bits_ = 1u << (data_bits + 1) | to_send_.front() << 1;
            out_left_ = bits_of_frame * out_bit_;
            to_send_.pop_front();
        }
        model_.rx = out_bits_ >> (bits_of_frame - 1 - (out_left_ - 1) / out_bit_) & 1;
        --out_left_;
    }

    // Bits of the board, each taken in its middle.
    void receive() {
        if (in_left_ == 0) {
            if (model_.tx)
                return;
            in_bit_ = bit_ticks();
            in_left_ = bits_of_frame * in_bit_ - in_bit_ / 2;
            in_bits_ = 0;
        }
        --in_left_;
        if (in_left_ % in_bit_ != 0)
            return;
        unsigned left = in_left_ / in_bit_; // after this bit
        in_bits_ = in_bits_ >> 1 | unsigned{model_.tx} << data_bits;
        if (left != 0)
            return;
        if (!(in_bits_ >> data_bits & 1))
            twin::stop_engine("the board sends no stop bit at the rate of the host; tick " +
                              std::to_string(now_));
        std::uint8_t byte = static_cast<std::uint8_t>(in_bits_);
        pty_.send(byte);
        if (byte == 0 && within_) {
            pty_.flush();
            waiting_ = false;
            rested_ = 0;
        }
        within_ = byte != 0;
    }

    const std::uint32_t tick_hz_;
    std::vector<Wire> wires_;
    twin::Pty &pty_;
    const std::atomic<bool> &quit_;
    twin::Trace pins_;
    Vboard model_;

    std::uint64_t now_ = 0;
    bool waiting_ = false; // for an answer
    unsigned rested_ = 0;
    bool within_ = false; // an answer's frame
    std::deque<std::uint8_t> to_send_;
    unsigned out_bits_ = 0, out_bit_ = 1, out_left_ = 0;
    unsigned in_bits_ = 0, in_bit_ = 1, in_left_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    std::string called, record;
    std::uint32_t hz = 0;
    std::vector<Wire> joined;
    twin::CommandLine line;
    line.text("name", called);
    line.number("tick-hz", hz);
    line.call("wire", [&](const std::string &value) { joined.push_back(wire(value)); });
    line.text("pins", record);
    line.parse(argc, argv);
    if (hz == 0)
        twin::refuse("--tick-hz is missing");
    twin::Ending ending;
    twin::Pty pty(ending.descriptor());
    Simulation simulation(hz, std::move(joined), record, pty, ending.asked());
    ending.watch_parent();
    std::cout << "{\"port\": \"" << pty.port() << "\", \"profile\": \"" << called << "\"}"
              << std::endl;
    simulation.run();
    return 0;
}
