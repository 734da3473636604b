// Names of the parts at addresses that are not modelled, for reports.
#pragma once

#include <cstdint>
#include <string>

namespace twin::zynq7000 {

// " (SPI0, which is not modelled)", or where memory is. `memory`: Memory::about().
std::string about_nowhere(std::uint64_t address, const std::string &memory);

} // namespace twin::zynq7000
