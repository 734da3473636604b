#include "core/loader.h"

#include "core/stop.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>

namespace twin {

namespace {

std::string set_of(unsigned machine) {
    switch (machine) {
    case EM_AARCH64:
        return "AArch64";
    case EM_ARM:
        return "Arm (32 bit)";
    default:
        return "machine " + std::to_string(machine);
    }
}

template <typename Header, typename Segment>
Program load_segments(const Memory &memory, const std::string &path,
                      const std::vector<char> &image) {
    Header header;
    if (image.size() < sizeof header)
        refuse(path + " is cut short");
    std::memcpy(&header, image.data(), sizeof header);
    Program program{header.e_entry, {}};
    unsigned loaded = 0;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Segment segment;
        std::uint64_t place = header.e_phoff + std::uint64_t{i} * header.e_phentsize;
        if (place > image.size() || image.size() - place < sizeof segment)
            refuse(path + " is cut short");
        std::memcpy(&segment, image.data() + place, sizeof segment);
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0)
            continue;
        if (segment.p_offset > image.size() || segment.p_filesz > image.size() - segment.p_offset ||
            segment.p_filesz > segment.p_memsz)
            refuse(path + " is cut short");
        std::uint8_t *to = memory.at(segment.p_paddr, segment.p_memsz);
        if (!to)
            refuse(path + " has a segment at " + hex(segment.p_paddr) +
                   ", outside the board's memory");
        std::memcpy(to, image.data() + segment.p_offset, segment.p_filesz);
        std::memset(to + segment.p_filesz, 0, segment.p_memsz - segment.p_filesz);
        if (segment.p_flags & PF_X)
            program.code.push_back({segment.p_paddr, segment.p_filesz, to});
        ++loaded;
    }
    if (!loaded)
        refuse(path + " has nothing to load");
    return program;
}

} // namespace

Program load_elf(const Memory &memory, const std::string &from, const std::string &name,
                 const ElfKind &kind) {
    const std::string &path = name.empty() ? from : name;
    std::ifstream file(from, std::ios::binary);
    std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad())
        refuse("cannot read " + path);
    Elf32_Ehdr header; // what is looked at here is at the same place in both
    if (image.size() < sizeof header)
        refuse(path + " is not an ELF file");
    std::memcpy(&header, image.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        refuse(path + " is not an ELF file");
    bool wide = header.e_ident[EI_CLASS] == ELFCLASS64;
    if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_EXEC)
        refuse(path + " is not a little-endian executable");
    if (header.e_machine != kind.machine || wide != (kind.machine == EM_AARCH64))
        refuse(path + " is a program for " + set_of(header.e_machine) + "; " + kind.board +
               " runs " + set_of(kind.machine));
    return wide ? load_segments<Elf64_Ehdr, Elf64_Phdr>(memory, path, image)
                : load_segments<Elf32_Ehdr, Elf32_Phdr>(memory, path, image);
}

} // namespace twin
