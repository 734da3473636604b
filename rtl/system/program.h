// An ELF file for RV32: what is loaded of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rtl {

class Program {
  public:
    // Refuses, in one line that names the file, whatever is not a program for RV32. `name`: that of
    // the file; empty: its path.
    explicit Program(const std::string &path, const std::string &name = "");

    // Copies the segments to `memory`, which begins at address 0. Refuses one that lies outside.
    void load(std::vector<std::uint8_t> &memory) const;

    struct Segment {
        std::uint32_t address;
        std::vector<std::uint8_t> bytes;
        std::size_t headers; // bytes in front that are the file's headers, and of no program
    };
    const std::vector<Segment> &segments() const { return segments_; }
    const std::string &name() const { return name_; }
    std::uint32_t entry() const { return entry_; }

  private:
    std::string name_;
    std::uint32_t entry_ = 0;
    std::vector<Segment> segments_;
};

} // namespace rtl
