// What a program that is not ours finds around its core: memory, CLINT, PLIC, UART, plain
// registers, and a device that ends it. Addresses are the target's options (docs/programs.md); it
// knows no core.
#pragma once

#include "plic.h"
#include "program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rtl {

struct Region {
    std::uint32_t base, size;
    bool holds(std::uint32_t address) const { return address - base < size; }
};

enum class UartModel { ns16550, sifive, uartlite };

struct BoardSettings {
    std::vector<Region> memory;
    std::uint32_t clint = 0, plic = 0, uart = 0, gpio = 0, finisher = 0; // base addresses
    UartModel model = UartModel::ns16550;
    std::uint32_t timer_divisor = 1; // cycles of a count of mtime
    unsigned wait_least = 0, wait_most = 0;
    std::uint32_t wait_seed = 1;
};

class Board {
  public:
    // Loads the program. Refuses one of whose segments a part lies outside of the memory.
    Board(const BoardSettings &settings, const Program &program);

    bool has_memory(std::uint32_t address);

    // The word of an instruction; 0, which is illegal, where there is no memory.
    std::uint32_t fetch(std::uint32_t address);

    // An access of the word that holds `address`; a load, in cycle `now`, gives the whole word. No
    // value, false: there is nothing.
    std::optional<std::uint32_t> load(std::uint32_t address, std::uint64_t now);
    bool store(std::uint32_t address, unsigned bytes, std::uint32_t value);

    // Cycles by which memory answers later than in the next cycle, for the access that comes now.
    unsigned wait();

    // Levels of the CLINT, and the first cycle in which that of its timer is high.
    bool software() const { return software_; }
    bool timer(std::uint64_t now) const { return now >= due_; }
    std::uint64_t due() const { return due_; }

    Plic &plic() { return plic_; }
    const Plic &plic() const { return plic_; }

    // What the program wrote to its CLINT, in words.
    std::string written() const;

    // Set when the program has asked for its end.
    std::optional<std::uint32_t> ended() const { return ended_; }

    // Passes the last piece of a line that the program has sent.
    void flush();

  private:
    struct Memory {
        Region at;
        std::vector<std::uint8_t> bytes;
    };
    Memory *memory(std::uint32_t address);
    void without_headers(Program::Segment &segment);
    std::optional<std::uint32_t> load_clint(std::uint32_t offset, std::uint64_t now) const;
    bool store_clint(std::uint32_t offset, std::uint32_t value);
    std::uint32_t load_uart(std::uint32_t word) const;
    void store_uart(std::uint32_t word, unsigned bytes, std::uint32_t value);
    void send(std::uint8_t byte);

    const BoardSettings settings_;
    std::vector<Memory> memory_;
    Plic plic_;
    bool software_ = false;
    std::uint64_t compare_ = UINT64_MAX, due_ = UINT64_MAX;
    std::uint32_t registers_[1024] = {}; // of the plain ones, 4 KB
    std::uint32_t line_control_ = 0, transmit_control_ = 0;
    unsigned clint_stores_ = 0;
    std::string line_;
    unsigned lines_ = 0;
    std::uint64_t dropped_ = 0;
    std::optional<std::uint32_t> ended_;
    std::uint32_t random_;
};

} // namespace rtl
