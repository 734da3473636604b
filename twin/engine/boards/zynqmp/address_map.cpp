#include "boards/zynqmp/address_map.h"

#include "core/stop.h"

#include <algorithm>
#include <iterator>

namespace twin::zynqmp {

namespace {

struct Range {
    std::uint64_t base, size;
    const char *name;
};

// UG1085, tables 10-1 to 10-3; UG1087.
constexpr Range ranges[] = {
    {0xFF020000, 0x10000, "I2C0"},
    {0xFF030000, 0x10000, "I2C1"},
    {0xFF040000, 0x10000, "SPI0"},
    {0xFF050000, 0x10000, "SPI1"},
    {0xFF060000, 0x10000, "CAN0"},
    {0xFF070000, 0x10000, "CAN1"},
    {0xFF0B0000, 0x10000, "GEM0"},
    {0xFF0C0000, 0x10000, "GEM1"},
    {0xFF0D0000, 0x10000, "GEM2"},
    {0xFF0E0000, 0x10000, "GEM3"},
    {0xFF0F0000, 0x10000, "QSPI"},
    {0xFF100000, 0x10000, "NAND"},
    {0xFF150000, 0x10000, "the LPD's watchdog"},
    {0xFF160000, 0x10000, "SD0"},
    {0xFF170000, 0x10000, "SD1"},
    {0xFF180000, 0x10000, "IOU_SLCR"},
    {0xFF240000, 0x10000, "IOU_SECURE_SLCR"},
    {0xFF250000, 0x10000, "IOU_SCNTR"},
    {0xFF310000, 0x10000, "IPI"},
    {0xFF320000, 0x10000, "IPI"},
    {0xFF330000, 0x10000, "IPI"},
    {0xFF340000, 0x10000, "IPI"},
    {0xFF350000, 0x10000, "IPI"},
    {0xFF360000, 0x10000, "IPI"},
    {0xFF370000, 0x10000, "IPI"},
    {0xFF380000, 0x10000, "IPI"},
    {0xFF410000, 0x10000, "LPD_SLCR"},
    {0xFF420000, 0x10000, "LPD_SLCR_SECURE"},
    {0xFF960000, 0x10000, "OCM control"},
    {0xFF9A0000, 0x10000, "RPU"},
    {0xFF9D0000, 0x10000, "USB3_0"},
    {0xFF9E0000, 0x10000, "USB3_1"},
    {0xFFA00000, 0x10000, "AMS, its performance monitor"},
    {0xFFA50000, 0x10000, "AMS"},
    {0xFFA60000, 0x10000, "RTC"},
    {0xFFCB0000, 0x10000, "the CSU's watchdog"},
    {0xFFCC0000, 0x10000, "eFUSE"},
    {0xFD070000, 0x10000, "DDRC"},
    {0xFD080000, 0x10000, "DDR PHY"},
    {0xFD090000, 0x10000, "DDR QoS"},
    {0xFD0B0000, 0x10000, "the DDR's performance monitor"},
    {0xFD0C0000, 0x10000, "SATA"},
    {0xFD0E0000, 0x10000, "PCIe"},
    {0xFD3D0000, 0x10000, "SIOU"},
    {0xFD480000, 0x10000, "PCIe attributes"},
    {0xFD4A0000, 0x10000, "DisplayPort"},
    {0xFD4B0000, 0x10000, "GPU"},
    {0xFD4D0000, 0x10000, "the FPD's watchdog"},
    {0xFD5F0000, 0x10000, "FPD_GPV"},
    {0xFD610000, 0x10000, "FPD_SLCR"},
    {0xFD690000, 0x10000, "FPD_SLCR_SECURE"},
    {0xFD6E0000, 0x10000, "CCI"},
    {0xF9040000, 0x10000, "GICH, for virtual interrupts"},
    {0xF9050000, 0x10000, "GICH, for virtual interrupts"},
    {0xF9060000, 0x10000, "GICV, for virtual interrupts"},
    {0xF9070000, 0x10000, "GICV, for virtual interrupts"},
    {0xFFA80000, 0x80000, "LPD DMA"},
    {0xFD500000, 0x80000, "FPD DMA"},
    {0xFD360000, 0x60000, "AFI_FM"},
    {0xFD800000, 0x600000, "SMMU"},
    {0xFE800000, 0x800000, "CoreSight"},
    {0xC0000000, 0x20000000, "QSPI flash"},
    {0xE0000000, 0x10000000, "PCIe"},
};

// What leads to the PL.
constexpr Range to_pl[] = {
    {0x80000000, 0x20000000, "M_AXI_HPM0_LPD"},   {0xA0000000, 0x10000000, "M_AXI_HPM0_FPD"},
    {0xB0000000, 0x10000000, "M_AXI_HPM1_FPD"},   {0x400000000, 0x100000000, "M_AXI_HPM0_FPD"},
    {0x500000000, 0x100000000, "M_AXI_HPM1_FPD"}, {0x1000000000, 0x4000000000, "M_AXI_HPM0_FPD"},
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

} // namespace twin::zynqmp
