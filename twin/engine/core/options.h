// The command line's settings of a board.
#pragma once

#include "core/memory.h"
#include "core/pin_device.h"
#include "core/units.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace twin {

// Where a line of the instrument leads on a program's board: to a pin by its number, or to an
// interrupt. None: to the board's own destination of a line of that number.
struct LineTo {
    enum class Kind { none, pin, interrupt } kind = Kind::none;
    unsigned number = 0;
};

// Settings of a foreign program: the parts of its board, and its start.
struct ProgramOptions {
    std::vector<Memory::Part> ram;   // further memory
    std::vector<std::uint64_t> gpio; // pages of registers that keep what is stored
    struct Binary {
        std::string path;
        std::uint64_t address;
    };
    std::vector<Binary> binaries; // loaded after the ELF file
    std::optional<std::uint64_t> entry;
    std::optional<unsigned> level; // exception level
    std::uint64_t argument = 0;    // its first register
};

struct BoardOptions {
    std::string elf, elf_name; // its file, and what that is called, unless as the file
    std::string trace;         // file; empty: none
    std::string markers;       // the same
    std::uint32_t source_id = 0, source_hash = 0;
    std::uint32_t tick_hz = 0; // of the board's PL clock, as its gateware names it
    unsigned uart = 0;         // number of the one that the host reaches
    bool skipping = true;
    std::string model;                     // of timing
    std::map<std::string, Time> constants; // of the profile, in units
    std::vector<std::string> faults;       // "name=number"
    std::vector<std::string> variants;     // the same
    std::vector<std::string> device;       // the same, in order: the devices wired to the pins

    // Measuring a foreign program takes two boards. That of the instrument has the program at its
    // pins, and passes the first lines on; the program's has nothing in its PL, and its UART leads
    // elsewhere.
    std::shared_ptr<PinDevice> places;
    std::function<void(unsigned line, bool level, Time time)> passed_on;
    bool empty_pl = false;
    std::function<void(std::uint8_t byte)> transmit;
    std::function<void(const char *uart, std::uint32_t control)> kept; // with its transmitter off
    ProgramOptions program;
    std::string chip;          // of several that the machine may have
    std::vector<LineTo> lines; // as many as reach a program
    std::uint64_t unit_hz = 0; // units of twin time in a second of the instrument
    std::function<void(const std::string &)> log; // a line that reaches the program
};

} // namespace twin
