// The firmware: an ELF file for RV32, its segments and its symbols.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rtl {

class Program {
  public:
    // Refuses, in one line that names the file, whatever is not a program for RV32.
    explicit Program(const std::string &path);

    // Copies the segments to `memory`, which begins at address 0. Refuses one that lies outside.
    void load(std::vector<std::uint8_t> &memory) const;

    // Address of a symbol. Refuses a name that there is not.
    std::uint32_t address_of(const std::string &name) const;

  private:
    struct Segment {
        std::uint32_t address;
        std::vector<std::uint8_t> bytes;
    };
    std::string path_;
    std::vector<Segment> segments_;
    std::map<std::string, std::uint32_t> symbols_;
};

} // namespace rtl
