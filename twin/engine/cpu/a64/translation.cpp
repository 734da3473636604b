#include "cpu/a64/translation.h"

#include "core/stop.h"

#include <algorithm>
#include <cstring>

namespace twin::a64 {

namespace {

// Fault status of ESR.ISS, but for the level of the table.
constexpr std::uint32_t translation_fault = 0x04, access_fault = 0x08;
constexpr std::uint32_t permission_fault = 0x0C;

constexpr std::uint64_t valid = 1, table_or_page = 2, access_flag = 1u << 10;
constexpr std::uint64_t user_may = 1u << 6, read_only = 1u << 7;
constexpr std::uint64_t privileged_never = std::uint64_t{1} << 53;
constexpr std::uint64_t execute_never = std::uint64_t{1} << 54; // of EL0 if it has two
constexpr std::uint64_t write_implies_never = 1u << 19;         // SCTLR.WXN

// What descriptors of tables take away from all that is below them.
constexpr unsigned table_privileged_never = 59, table_never = 60, table_no_user = 61;
constexpr unsigned table_read_only = 62;

constexpr bool bit(std::uint64_t value, unsigned at) { return value >> at & 1; }

// Bits of the translation granule; what TCR names by TG0 and TG1 is not the same.
unsigned granule_of(std::uint64_t tcr, bool upper) {
    unsigned named = upper ? tcr >> 30 & 3 : tcr >> 14 & 3;
    if (named == (upper ? 2u : 0u))
        return 12;
    if (named == (upper ? 3u : 1u))
        return 16;
    stop_engine("TCR names a translation granule that a Cortex-A53 has not: " + hex(tcr));
}

} // namespace

Regime Regime::read(uc_struct *uc, unsigned level) {
    auto get = [&](unsigned crn, unsigned op2) {
        return read_system_register(uc, of_level(level, crn, crn == 10 ? 2 : 0, op2));
    };
    return {level, get(1, 0), get(2, 2), get(2, 0), level == 1 ? get(2, 1) : 0, get(10, 0)};
}

bool Regime::write(SystemRegister reg, std::uint64_t value) {
    auto is = [&](unsigned crn, unsigned op2) {
        return reg == of_level(level, crn, crn == 10 ? 2 : 0, op2);
    };
    std::uint64_t *to = is(1, 0)                 ? &sctlr
                        : is(2, 0)               ? &ttbr0
                        : is(2, 1) && level == 1 ? &ttbr1
                        : is(2, 2)               ? &tcr
                        : is(10, 0)              ? &mair
                                                 : nullptr;
    if (to)
        *to = value;
    return to;
}

std::uint64_t WalkStart::entry(std::uint64_t base, unsigned at, std::uint64_t address) const {
    unsigned bits = std::min(granule_bits - 3, width - std::min(width, shift(at)));
    return base + 8 * (address >> shift(at) & ((std::uint64_t{1} << bits) - 1));
}

WalkStart walk_start(const Regime &regime, std::uint64_t address) {
    WalkStart start;
    bool two = regime.level == 1, upper = two && bit(address, 55);
    std::uint64_t tcr = regime.tcr;
    start.granule_bits = granule_of(tcr, upper);
    start.width = 64 - static_cast<unsigned>(tcr >> (upper ? 16 : 0) & 0x3F);
    unsigned used = bit(tcr, two ? (upper ? 38 : 37) : 20) ? 56 : 64; // TBI: a tag, not address
    std::uint64_t above = (address << (64 - used)) >> (64 - used) >> start.width;
    std::uint64_t want =
        upper ? (~std::uint64_t{0} << (64 - used)) >> (64 - used) >> start.width : 0;
    bool off = two && bit(tcr, upper ? 23 : 7); // EPD
    start.mapped = start.width <= 48 && start.width >= 25 && above == want && !off;
    if (!start.mapped)
        return start;
    unsigned bits = start.granule_bits - 3;
    unsigned levels = (start.width - start.granule_bits + bits - 1) / bits;
    start.level = WalkStart::last_level + 1 - levels;
    unsigned first = start.width - start.shift(start.level) + 3; // size of the first table
    std::uint64_t ttbr = (upper ? regime.ttbr1 : regime.ttbr0) & 0x0000'FFFF'FFFF'FFFE;
    start.table = ttbr & ~((std::uint64_t{1} << std::max(first, 4u)) - 1);
    unsigned attributes = upper ? 24 : 8;
    start.cached = (tcr >> attributes & 3) == 1 && (tcr >> (attributes + 2) & 3) == 1;
    return start;
}

Translation translate(const Memory &memory, const Regime &regime, std::uint64_t address,
                      Reach reach, bool user) {
    auto fault = [](std::uint32_t kind, unsigned level) {
        return Translation{.allowed = false, .to = 0, .writable = false, .status = kind | level};
    };
    auto start = walk_start(regime, address);
    if (!start.mapped)
        return fault(translation_fault, 0);
    bool two = regime.level == 1;
    std::uint64_t table = start.table;
    std::uint64_t tables = 0; // the restrictions of all descriptors of tables
    for (unsigned level = start.level;; ++level) {
        std::uint64_t at = start.entry(table, level, address);
        const auto *bytes = memory.at(at, 8);
        if (!bytes)
            stop_engine("translation table at " + hex(at) + " is outside the memory");
        std::uint64_t entry;
        std::memcpy(&entry, bytes, sizeof entry);
        bool last = level == WalkStart::last_level;
        if (!(entry & valid) || (last && !(entry & table_or_page)))
            return fault(translation_fault, level);
        if (!last && entry & table_or_page) {
            tables |= entry;
            table = start.next(entry);
            continue;
        }
        if (!last && level < (start.granule_bits == 12 ? 1u : 2u))
            return fault(translation_fault, level); // no block of that size
        if (!(entry & access_flag))
            return fault(access_fault, level);
        bool for_user = two && entry & user_may && !bit(tables, table_no_user);
        bool writable = !(entry & read_only) && !bit(tables, table_read_only);
        bool never = entry & execute_never || bit(tables, table_never);
        if (two && !user)
            never = entry & privileged_never || bit(tables, table_privileged_never) ||
                    (for_user && writable);
        never = never || (writable && regime.sctlr & write_implies_never);
        bool may = !user || for_user;
        bool allowed = reach == Reach::fetch   ? may && !never
                       : reach == Reach::store ? may && writable
                                               : may;
        if (!allowed)
            return fault(permission_fault, level);
        std::uint64_t size = std::uint64_t{1} << start.shift(level);
        std::uint64_t to = (entry & 0x0000'FFFF'FFFF'F000 & ~(size - 1)) | (address & (size - 1));
        return {.to = to & ~std::uint64_t{0xFFF}, .writable = may && writable};
    }
}

} // namespace twin::a64
