#include "program.h"

#include "core/stop.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>

namespace rtl {

namespace {

// A header, from byte `at` of the file on.
template <typename Part>
Part part_of(const std::string &name, const std::vector<std::uint8_t> &file, std::size_t at) {
    Part found;
    if (at > file.size() || sizeof found > file.size() - at)
        twin::refuse(name + ": it ends in the midst of a header; build it again");
    std::memcpy(&found, file.data() + at, sizeof found);
    return found;
}

} // namespace

Program::Program(const std::string &path, const std::string &name)
    : name_(name.empty() ? path : name) {
    std::ifstream stream(path, std::ios::binary);
    std::vector<std::uint8_t> file{std::istreambuf_iterator<char>(stream), {}};
    if (!stream)
        twin::refuse("cannot read " + name_);
    auto header = part_of<Elf32_Ehdr>(name_, file, 0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        twin::refuse(name_ + ": it is no ELF file; name a program");
    if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_machine != EM_RISCV)
        twin::refuse(name_ + ": it is built for another processor (ELF machine " +
                     std::to_string(header.e_machine) + "); this core takes RV32");
    constexpr unsigned float_abi = 0x6, reduced = 0x8; // EF_RISCV_FLOAT_ABI, EF_RISCV_RVE
    if (header.e_flags & (float_abi | reduced))
        twin::refuse(name_ + ": it is built for another ABI (flags " + twin::hex(header.e_flags) +
                     "); this core takes ilp32");
    entry_ = header.e_entry;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        auto found = part_of<Elf32_Phdr>(name_, file, header.e_phoff + i * sizeof(Elf32_Phdr));
        if (found.p_type != PT_LOAD || found.p_filesz == 0)
            continue;
        if (found.p_offset > file.size() || found.p_filesz > file.size() - found.p_offset)
            twin::refuse(name_ + ": a segment is cut short; build it again");
        auto begin = file.begin() + found.p_offset;
        auto headers = header.e_phoff + header.e_phnum * sizeof(Elf32_Phdr);
        segments_.push_back(
            {found.p_paddr, {begin, begin + found.p_filesz}, found.p_offset == 0 ? headers : 0});
    }
}

void Program::load(std::vector<std::uint8_t> &memory) const {
    for (const auto &segment : segments_) {
        if (segment.address > memory.size() ||
            segment.bytes.size() > memory.size() - segment.address)
            twin::refuse(name_ + ": a segment at " + twin::hex(segment.address) +
                         " lies outside the memory of " + std::to_string(memory.size()) + " bytes");
        std::copy(segment.bytes.begin(), segment.bytes.end(), memory.begin() + segment.address);
    }
}

} // namespace rtl
