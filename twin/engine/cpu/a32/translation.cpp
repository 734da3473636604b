#include "cpu/a32/translation.h"

#include "core/stop.h"

#include <cstring>
#include <string>

namespace twin::a32 {

namespace {

// Fault status of DFSR and IFSR, of the first level; of the second it is 2 more, of an access flag
// 3 more.
constexpr std::uint32_t translation_fault = 0x5, domain_fault = 0x9, permission_fault = 0xD;
constexpr std::uint32_t access_fault = 0x3;
constexpr std::uint32_t sctlr_afe = 1u << 29;

constexpr std::uint32_t bits(std::uint32_t value, unsigned low, unsigned width) {
    return value >> low & ((1u << width) - 1);
}

std::uint32_t word_at(const Memory &memory, std::uint32_t at) {
    const auto *bytes = memory.at(at, 4);
    if (!bytes)
        stop_engine("translation table at " + hex(at) + " is outside the memory");
    std::uint32_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

} // namespace

Regime Regime::read(uc_struct *uc) {
    return {read_coprocessor(uc, a32::sctlr), read_coprocessor(uc, a32::ttbr0),
            read_coprocessor(uc, a32::ttbr1), read_coprocessor(uc, a32::ttbcr),
            read_coprocessor(uc, a32::dacr)};
}

bool Regime::write(CoprocessorRegister reg, std::uint32_t value) {
    std::uint32_t *to = reg == a32::sctlr   ? &sctlr
                        : reg == a32::ttbr0 ? &ttbr0
                        : reg == a32::ttbr1 ? &ttbr1
                        : reg == a32::ttbcr ? &ttbcr
                        : reg == a32::dacr  ? &dacr
                                            : nullptr;
    if (to)
        *to = value;
    return to;
}

std::uint32_t Regime::ttbr(std::uint32_t address) const {
    unsigned n = ttbcr & 7;
    return n && address >> (32 - n) ? ttbr1 : ttbr0;
}

std::uint32_t Regime::table(std::uint32_t address) const {
    unsigned n = ttbcr & 7;
    if (n && address >> (32 - n))
        return ttbr1 & ~0x3FFFu;
    return ttbr0 & ~((1u << (14 - n)) - 1);
}

std::uint32_t Regime::entry(std::uint32_t address) const {
    std::uint32_t n = ttbcr & 7, index = address >> 20;
    if (n && !(address >> (32 - n)))
        index &= (1u << (12 - n)) - 1;
    return table(address) + 4 * index;
}

Descriptor first_level(std::uint32_t entry) {
    Descriptor it;
    it.domain = bits(entry, 5, 4);
    if (names_table(entry)) {
        it.to = entry & ~0x3FFu;
        return it;
    }
    if (!(entry & 2))
        return it;
    bool super = bits(entry, 18, 1);
    it.bits = super ? 24 : 20;
    if (super)
        it.domain = 0;
    it.to = entry & ~((1u << it.bits) - 1);
    it.access = bits(entry, 15, 1) << 2 | bits(entry, 10, 2);
    it.never = bits(entry, 4, 1);
    it.tex = bits(entry, 12, 3);
    it.cb = bits(entry, 2, 2);
    return it;
}

Descriptor second_level(std::uint32_t entry, unsigned domain) {
    Descriptor it;
    it.second = true;
    it.domain = domain;
    if (!(entry & 3))
        return it;
    bool small = entry & 2;
    it.bits = small ? 12 : 16;
    it.to = entry & ~((1u << it.bits) - 1);
    it.access = bits(entry, 9, 1) << 2 | bits(entry, 4, 2);
    it.never = small ? entry & 1 : bits(entry, 15, 1);
    it.tex = small ? bits(entry, 6, 3) : bits(entry, 12, 3);
    it.cb = bits(entry, 2, 2);
    return it;
}

Translation translate(const Memory &memory, const Regime &regime, std::uint32_t address,
                      Reach reach, bool user) {
    std::uint32_t entry = word_at(memory, regime.entry(address));
    Descriptor it = first_level(entry);
    if (names_table(entry))
        it = second_level(word_at(memory, it.to + 4 * (address >> 12 & 0xFF)), it.domain);
    auto fault = [&](std::uint32_t status) {
        std::uint32_t further = !it.second ? 0 : status == access_fault ? 3 : 2;
        return Translation{.allowed = false,
                           .to = 0,
                           .writable = false,
                           .status = (status + further) | it.domain << 4};
    };
    if (it.bits == 0)
        return fault(translation_fault);
    unsigned control = regime.dacr >> 2 * it.domain & 3;
    bool manager = control == 3;
    if (control != 1 && !manager)
        return fault(domain_fault);
    if (regime.sctlr & sctlr_afe && !(it.access & 1))
        return fault(access_fault);
    unsigned access = it.access;
    if (regime.sctlr & sctlr_afe) // AP[2:1] alone
        access = access & 4 ? (access & 2 ? 7 : 5) : (access & 2 ? 3 : 1);
    bool readable = user ? access == 2 || access == 3 || access >= 6 : access != 0 && access != 4;
    bool writable = user ? access == 3 : access >= 1 && access <= 3;
    if (manager)
        readable = writable = true;
    bool allowed = reach == Reach::store   ? writable
                   : reach == Reach::fetch ? readable && (manager || !it.never)
                                           : readable;
    if (!allowed)
        return fault(permission_fault);
    std::uint32_t inside = address & ((1u << it.bits) - 1);
    return {.to = (it.to | inside) & ~0xFFFu, .writable = writable};
}

} // namespace twin::a32
