// An ELF file for RV32: its segments and its symbols.
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

    struct Segment {
        std::uint32_t address;
        std::vector<std::uint8_t> bytes;
    };
    const std::vector<Segment> &segments() const { return segments_; }
    const std::string &path() const { return path_; }
    std::uint32_t entry() const { return entry_; }

    // "0x80000124 (main+0x24)"; the address alone where no symbol is before it.
    std::string where(std::uint32_t address) const;

    // First address of the function that holds an address; 0 where no symbol is before it.
    std::uint32_t function(std::uint32_t address) const;

    // Address of a symbol. Refuses a name that there is not.
    std::uint32_t address_of(const std::string &name) const;

  private:
    std::string path_;
    std::uint32_t entry_ = 0;
    std::vector<Segment> segments_;
    std::map<std::string, std::uint32_t> symbols_;
    std::map<std::uint32_t, std::string> functions_;
};

} // namespace rtl
