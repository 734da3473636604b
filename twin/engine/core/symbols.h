// The symbols of an ELF file of 32 or 64 bits: what stands at an address.
#pragma once

#include "core/stop.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace twin {

class Symbols {
  public:
    // None: a file without a symbol table. Refuses, naming the file, a table that is cut short.
    Symbols(const std::string &path, const std::vector<std::uint8_t> &file);

    // "0x80000124 (main+0x24)"; the address alone where no symbol is before it.
    std::string where(std::uint64_t address) const;

    // The same of where a call returns to: after one that never does, the next function may begin.
    std::string return_to(std::uint64_t address) const;

    // First address of the function that holds an address; 0 where no symbol is before it.
    std::uint64_t function(std::uint64_t address) const;

    // Name of the function that begins there, or the address. Functions of one name are told apart
    // by their source file, "step (uart.c)", and in one file by their order, "step (uart.c, 2)".
    std::string name(std::uint64_t function) const;

    // Address of a symbol. Refuses a name that there is not.
    std::uint64_t address_of(const std::string &name) const;

  private:
    // An address, as it is in the function that holds `inside`.
    std::string within(std::uint64_t inside, std::uint64_t address) const;

    template <typename Header, typename Section, typename Symbol>
    void read(const std::vector<std::uint8_t> &file);
    void tell_apart(const std::map<std::uint64_t, std::string> &sources);

    std::string path_;
    std::map<std::string, std::uint64_t> symbols_;
    std::map<std::uint64_t, std::string> functions_;
    std::map<std::uint64_t, std::string> apart_; // of functions that share their name
};

// All bytes of a file. Refuses one that cannot be read.
std::vector<std::uint8_t> file_of(const std::string &path);

// A header of an ELF file, from its byte `at` on. Refuses a file that is too short for it.
template <typename Part>
Part part_of(const std::string &path, const std::vector<std::uint8_t> &file, std::size_t at) {
    Part found;
    if (at > file.size() || sizeof found > file.size() - at)
        refuse(path + ": it ends in the midst of a header; build it again");
    std::memcpy(&found, file.data() + at, sizeof found);
    return found;
}

} // namespace twin
