#include "board.h"

#include "core/stop.h"

#include <algorithm>
#include <cstring>
#include <iostream>

namespace rtl {

namespace {
constexpr std::uint32_t clint_size = 0xC000, page = 0x1000;
// Of a CLINT for one hart.
constexpr std::uint32_t msip = 0, mtimecmp = 0x4000, mtime = 0xBFF8;
// The host keeps a log of this, which no program shall fill.
constexpr std::size_t longest_line = 120;
constexpr unsigned most_lines = 1000;

std::uint32_t half(std::uint64_t value, std::uint32_t offset) {
    return static_cast<std::uint32_t>(offset & 4 ? value >> 32 : value);
}
} // namespace

Board::Board(const BoardSettings &settings, const Program &program)
    : settings_(settings), random_(settings.wait_seed ? settings.wait_seed : 1) {
    for (const auto &region : settings.memory)
        memory_.push_back({region, std::vector<std::uint8_t>(region.size)});
    for (Program::Segment segment : program.segments()) {
        if (without_headers(segment); segment.bytes.empty())
            continue;
        auto into = std::find_if(memory_.begin(), memory_.end(), [&](const Memory &found) {
            return found.at.holds(segment.address) &&
                   segment.bytes.size() <= found.at.size - (segment.address - found.at.base);
        });
        if (into == memory_.end()) {
            std::string there;
            for (const auto &found : memory_)
                there += (there.empty() ? "" : ", ") + twin::hex(found.at.base) + "+" +
                         twin::hex(found.at.size);
            twin::refuse(program.name() + ": its " + std::to_string(segment.bytes.size()) +
                         " bytes at " + twin::hex(segment.address) +
                         " lie outside of the memory, " + there + "; say ram=BASE+SIZE");
        }
        std::copy(segment.bytes.begin(), segment.bytes.end(),
                  into->bytes.begin() + (segment.address - into->at.base));
    }
}

// Takes the headers of the file away where they lie in front of the memory, as linkers put them.
void Board::without_headers(Program::Segment &segment) {
    if (segment.headers == 0 || memory(segment.address))
        return;
    std::size_t size = segment.bytes.size(), skipped = size <= segment.headers ? size : 0;
    for (const auto &found : memory_)
        if (std::uint32_t gap = found.at.base - segment.address;
            gap >= segment.headers && gap < size)
            skipped = gap;
    segment.address += static_cast<std::uint32_t>(skipped);
    segment.bytes.erase(segment.bytes.begin(),
                        segment.bytes.begin() + static_cast<std::ptrdiff_t>(skipped));
}

Board::Memory *Board::memory(std::uint32_t address) {
    for (auto &found : memory_)
        if (found.at.holds(address))
            return &found;
    return nullptr;
}

bool Board::has_memory(std::uint32_t address) { return memory(address) != nullptr; }

std::uint32_t Board::fetch(std::uint32_t address) {
    address &= ~3u;
    std::uint32_t word = 0;
    if (auto found = memory(address))
        std::memcpy(&word, found->bytes.data() + (address - found->at.base), sizeof word);
    return word;
}

std::optional<std::uint32_t> Board::load(std::uint32_t address, std::uint64_t now) {
    address &= ~3u;
    if (memory(address))
        return fetch(address);
    if (address - settings_.clint < clint_size)
        return load_clint(address - settings_.clint, now);
    if (address - settings_.plic < Plic::size)
        return plic_.load(address - settings_.plic);
    if (address - settings_.uart < page)
        return load_uart((address - settings_.uart) / 4);
    if (address - settings_.gpio < page)
        return registers_[(address - settings_.gpio) / 4];
    if (address == settings_.finisher)
        return 0;
    return std::nullopt;
}

bool Board::store(std::uint32_t address, unsigned bytes, std::uint32_t value) {
    address &= ~3u;
    if (auto found = memory(address)) {
        std::uint8_t *at = found->bytes.data() + (address - found->at.base);
        for (unsigned byte = 0; byte < 4; ++byte)
            if (bytes >> byte & 1)
                at[byte] = static_cast<std::uint8_t>(value >> 8 * byte);
        return true;
    }
    if (address - settings_.clint < clint_size) {
        ++clint_stores_;
        return store_clint(address - settings_.clint, value);
    }
    if (address - settings_.plic < Plic::size)
        return plic_.store(address - settings_.plic, value);
    if (address - settings_.uart < page)
        store_uart((address - settings_.uart) / 4, bytes, value);
    else if (address - settings_.gpio < page)
        registers_[(address - settings_.gpio) / 4] = value;
    else if (address == settings_.finisher)
        ended_ = value;
    else
        return false;
    return true;
}

std::optional<std::uint32_t> Board::load_clint(std::uint32_t offset, std::uint64_t now) const {
    if (offset == msip)
        return software_;
    if ((offset & ~4u) == mtimecmp)
        return half(compare_, offset);
    if ((offset & ~4u) == mtime)
        return half(now / settings_.timer_divisor, offset);
    return std::nullopt;
}

bool Board::store_clint(std::uint32_t offset, std::uint32_t value) {
    if (offset == msip) {
        software_ = value & 1;
        return true;
    }
    if ((offset & ~4u) != mtimecmp)
        return false; // mtime counts, and nothing else
    if (offset & 4)
        compare_ = (compare_ & UINT32_MAX) | std::uint64_t{value} << 32;
    else
        compare_ = (compare_ >> 32 << 32) | value;
    due_ = compare_ > UINT64_MAX / settings_.timer_divisor ? UINT64_MAX
                                                           : compare_ * settings_.timer_divisor;
    return true;
}

// Whatever the program sends is sent at once, and it never receives anything.
std::uint32_t Board::load_uart(std::uint32_t word) const {
    switch (settings_.model) {
    case UartModel::ns16550: // LSR: the transmitter is empty. IIR: no interrupt is pending.
        return word == 1 ? 0x60u << 8 : word == 0 ? line_control_ << 24 | 1u << 16 : 0;
    case UartModel::sifive:
        return word == 1 ? 1u << 31 : word == 2 ? transmit_control_ : 0;
    case UartModel::uartlite:
        return word == 2 ? 1u << 2 : 0;
    }
    return 0;
}

void Board::store_uart(std::uint32_t word, unsigned bytes, std::uint32_t value) {
    switch (settings_.model) {
    case UartModel::ns16550: {
        constexpr std::uint32_t divisor_access = 0x80;
        if (word == 0 && bytes & 8)
            line_control_ = value >> 24;
        if (word == 0 && bytes & 1 && !(line_control_ & divisor_access))
            send(static_cast<std::uint8_t>(value));
        break;
    }
    case UartModel::sifive:
        if (word == 2)
            transmit_control_ = value;
        if (word != 0)
            break;
        if (transmit_control_ & 1)
            send(static_cast<std::uint8_t>(value));
        else if (dropped_++ == 0)
            std::cerr << "program: [a byte was sent to a UART whose transmitter is disabled: "
                         "txctrl is "
                      << twin::hex(transmit_control_) << "]" << std::endl;
        break;
    case UartModel::uartlite:
        if (word == 1)
            send(static_cast<std::uint8_t>(value));
        break;
    }
}

void Board::send(std::uint8_t byte) {
    if (byte != '\n' && byte != '\r')
        line_ += byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '?';
    if (byte == '\n' || line_.size() >= longest_line)
        flush();
}

void Board::flush() {
    if (!line_.empty() && lines_++ < most_lines)
        std::cerr << "program: " << line_ << std::endl;
    if (lines_ == most_lines + 1)
        std::cerr << "program: [further lines are left out]" << std::endl;
    line_.clear();
}

unsigned Board::wait() {
    if (settings_.wait_most == settings_.wait_least)
        return settings_.wait_least;
    // Marsaglia's xorshift: any sequence will do that is the same in each run.
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    return settings_.wait_least + random_ % (settings_.wait_most - settings_.wait_least + 1);
}

std::string Board::written() const {
    if (clint_stores_ == 0)
        return "it stored nothing to the CLINT";
    std::string compare = compare_ == UINT64_MAX ? "unset" : twin::hex(compare_);
    return "of " + std::to_string(clint_stores_) +
           " stores to the CLINT there remain msip = " + (software_ ? "1" : "0") +
           ", mtimecmp = " + compare;
}

} // namespace rtl
