#include "boards/zynq7000/address_map.h"

#include "core/stop.h"

#include <algorithm>
#include <iterator>

namespace twin::zynq7000 {

namespace {

struct Range {
    std::uint64_t base, size;
    const char *name;
};

// UG585, tables 4-1 to 4-7.
constexpr Range ranges[] = {
    {0xE0000000, 0x1000, "UART0"},         {0xE0001000, 0x1000, "UART1"},
    {0xE0002000, 0x1000, "USB0"},          {0xE0003000, 0x1000, "USB1"},
    {0xE0004000, 0x1000, "I2C0"},          {0xE0005000, 0x1000, "I2C1"},
    {0xE0006000, 0x1000, "SPI0"},          {0xE0007000, 0x1000, "SPI1"},
    {0xE0008000, 0x1000, "CAN0"},          {0xE0009000, 0x1000, "CAN1"},
    {0xE000B000, 0x1000, "GEM0"},          {0xE000C000, 0x1000, "GEM1"},
    {0xE000D000, 0x1000, "QSPI"},          {0xE000E000, 0x1000, "SMC"},
    {0xE0100000, 0x1000, "SDIO0"},         {0xE0101000, 0x1000, "SDIO1"},
    {0xF8003000, 0x1000, "DMAC"},          {0xF8004000, 0x1000, "DMAC"},
    {0xF8006000, 0x1000, "DDRC"},          {0xF8008000, 0x1000, "AXI_HP0"},
    {0xF8009000, 0x1000, "AXI_HP1"},       {0xF800A000, 0x1000, "AXI_HP2"},
    {0xF800B000, 0x1000, "AXI_HP3"},       {0xF800C000, 0x1000, "OCM control"},
    {0xF8800000, 0x100000, "CoreSight"},   {0xE2000000, 0x4000000, "SMC memory"},
    {0xFC000000, 0x2000000, "QSPI flash"},
};

// What leads to the PL.
constexpr Range to_pl[] = {
    {0x40000000, 0x40000000, "M_AXI_GP0"},
    {0x80000000, 0x40000000, "M_AXI_GP1"},
};

const Range *find(const Range *begin, const Range *end, std::uint64_t address) {
    const auto *found = std::find_if(
        begin, end, [&](const Range &range) { return address - range.base < range.size; });
    return found == end ? nullptr : found;
}

} // namespace

std::string about_nowhere(std::uint64_t address, const std::string &memory) {
    if (const auto *pl = find(std::begin(to_pl), std::end(to_pl), address)) {
        std::string page = hex(address & ~std::uint64_t{0xFFF});
        return std::string(" (the PL by ") + pl->name +
               ", which is empty for a program: gpio=" + page +
               " puts registers there, ram=" + page + "+SIZE memory)";
    }
    if (const auto *range = find(std::begin(ranges), std::end(ranges), address))
        return std::string(" (") + range->name + ", which is not modelled)";
    return "; memory is " + memory;
}

} // namespace twin::zynq7000
