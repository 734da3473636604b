#include "program.h"

#include "core/stop.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>

namespace rtl {

namespace {

template <typename Part>
Part part(const std::string &path, const std::vector<std::uint8_t> &file, std::size_t at) {
    Part found;
    if (at > file.size() || sizeof found > file.size() - at)
        twin::refuse(path + ": it ends in the midst of a header; build it again");
    std::memcpy(&found, file.data() + at, sizeof found);
    return found;
}

} // namespace

Program::Program(const std::string &path) : path_(path) {
    std::ifstream stream(path, std::ios::binary);
    std::vector<std::uint8_t> file{std::istreambuf_iterator<char>(stream), {}};
    if (!stream)
        twin::refuse("cannot read " + path);
    auto header = part<Elf32_Ehdr>(path, file, 0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        twin::refuse(path + ": it is no ELF file; name a program");
    if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_machine != EM_RISCV)
        twin::refuse(path + ": it is built for another processor (ELF machine " +
                     std::to_string(header.e_machine) + "); this core takes RV32");
    constexpr unsigned float_abi = 0x6, reduced = 0x8; // EF_RISCV_FLOAT_ABI, EF_RISCV_RVE
    if (header.e_flags & (float_abi | reduced))
        twin::refuse(path + ": it is built for another ABI (flags " + twin::hex(header.e_flags) +
                     "); this core takes ilp32");
    entry_ = header.e_entry;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        auto found = part<Elf32_Phdr>(path, file, header.e_phoff + i * sizeof(Elf32_Phdr));
        if (found.p_type != PT_LOAD || found.p_filesz == 0)
            continue;
        if (found.p_offset > file.size() || found.p_filesz > file.size() - found.p_offset)
            twin::refuse(path + ": a segment is cut short; build it again");
        auto begin = file.begin() + found.p_offset;
        segments_.push_back({found.p_paddr, {begin, begin + found.p_filesz}});
    }
    for (unsigned i = 0; i < header.e_shnum; i++) {
        auto table = part<Elf32_Shdr>(path, file, header.e_shoff + i * sizeof(Elf32_Shdr));
        if (table.sh_type != SHT_SYMTAB)
            continue;
        auto names =
            part<Elf32_Shdr>(path, file, header.e_shoff + table.sh_link * sizeof(Elf32_Shdr));
        for (std::size_t at = 0; at < table.sh_size; at += sizeof(Elf32_Sym)) {
            auto symbol = part<Elf32_Sym>(path, file, table.sh_offset + at);
            std::size_t begin = names.sh_offset + symbol.st_name;
            auto end = std::find(file.begin() + std::min(begin, file.size()), file.end(), 0);
            if (begin < file.size() && symbol.st_name != 0)
                symbols_[{file.begin() + begin, end}] = symbol.st_value;
            // Labels of assembly have no type; those that begin with a dollar or a point are marks.
            unsigned type = ELF32_ST_TYPE(symbol.st_info);
            if ((type == STT_FUNC || type == STT_NOTYPE) && symbol.st_shndx != SHN_UNDEF &&
                symbol.st_shndx < SHN_LORESERVE && begin < file.size() && file[begin] != '$' &&
                file[begin] != '.' && file[begin] != 0)
                functions_[symbol.st_value] = {file.begin() + begin, end};
        }
    }
}

void Program::load(std::vector<std::uint8_t> &memory) const {
    for (const auto &segment : segments_) {
        if (segment.address > memory.size() ||
            segment.bytes.size() > memory.size() - segment.address)
            twin::refuse(path_ + ": a segment at " + twin::hex(segment.address) +
                         " lies outside the memory of " + std::to_string(memory.size()) + " bytes");
        std::copy(segment.bytes.begin(), segment.bytes.end(), memory.begin() + segment.address);
    }
}

std::uint32_t Program::function(std::uint32_t address) const {
    auto after = functions_.upper_bound(address);
    return after == functions_.begin() ? 0 : std::prev(after)->first;
}

std::string Program::where(std::uint32_t address) const {
    auto after = functions_.upper_bound(address);
    if (after == functions_.begin())
        return twin::hex(address);
    auto [start, name] = *std::prev(after);
    std::string offset = address == start ? "" : "+" + twin::hex(address - start);
    return twin::hex(address) + " (" + name + offset + ")";
}

std::uint32_t Program::address_of(const std::string &name) const {
    auto found = symbols_.find(name);
    if (found == symbols_.end())
        twin::refuse(path_ + " has no symbol " + name + "; name one of the handlers in fw/stacks");
    return found->second;
}

} // namespace rtl
