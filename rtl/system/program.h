// An ELF file for RV32: its segments and its symbols.
#pragma once

#include "core/symbols.h"

#include <cstdint>
#include <optional>
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

    const twin::Symbols &symbols() const { return *symbols_; }

  private:
    std::string path_;
    std::uint32_t entry_ = 0;
    std::vector<Segment> segments_;
    std::optional<twin::Symbols> symbols_;
};

} // namespace rtl
