// What the command line says of a board; the board takes it in.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace twin {

struct BoardOptions {
    std::string elf;
    std::string trace;   // file; empty: none
    std::string markers; // the same
    std::uint32_t source_id = 0, source_hash = 0;
    bool skipping = true;
    std::string model;                     // of timing
    std::map<std::string, Time> constants; // of the profile, in units
    std::vector<std::string> faults;       // "name=number"
    std::vector<std::string> variants;     // the same
    std::vector<std::string> device;       // the same, in order: what is wired to the pins
};

} // namespace twin
