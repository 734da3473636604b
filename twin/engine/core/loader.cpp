#include "core/loader.h"

#include "core/stop.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <utility>

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

std::string range_of(std::uint64_t first, std::uint64_t size) {
    return hex(first) + " to " + hex(first + size - 1);
}

// Names of ELF types that are not executables.
std::string kind_of(unsigned type) {
    switch (type) {
    case ET_REL:
        return "an object file; link it";
    case ET_DYN:
        return "a position-independent executable or a shared library; link it with -static "
               "-no-pie";
    case ET_CORE:
        return "a core dump; name the program";
    default:
        return "of the unknown ELF type " + std::to_string(type);
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
    std::vector<std::pair<std::uint64_t, std::uint64_t>> loaded; // first and last address
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
        std::uint64_t first = segment.p_paddr, offset = segment.p_offset;
        std::uint64_t filled = segment.p_filesz, size = segment.p_memsz;
        // What has a place of its own to run at is cleared there, by the program itself.
        if (segment.p_vaddr != segment.p_paddr)
            size = filled;
        if (size == 0)
            continue;
        // Headers of the file in front of the code are part of the segment, and of no program.
        std::uint64_t headers = header.e_phoff + std::uint64_t{header.e_phnum} * header.e_phentsize;
        if (offset == 0 && size <= headers && !memory.at(first, size))
            continue;
        if (std::uint64_t skipped = memory.below(first);
            offset == 0 && skipped && skipped >= headers && skipped < filled) {
            first += skipped;
            offset += skipped;
            filled -= skipped;
            size -= skipped;
        }
        std::uint8_t *to = memory.at(first, size);
        if (!to)
            refuse(path + " has a segment at " + range_of(first, size) +
                   ", outside the memory, which is " + memory.about());
        for (auto [other_first, other_last] : loaded)
            if (first <= other_last && other_first <= first + size - 1)
                refuse(path + " has two segments at " +
                       hex(std::max<std::uint64_t>(first, other_first)) +
                       "; which one is loaded there is not said");
        loaded.emplace_back(first, first + size - 1);
        std::memcpy(to, image.data() + offset, filled);
        std::memset(to + filled, 0, size - filled);
        if (segment.p_flags & PF_X) {
            program.code.push_back({first, filled, to});
            if (segment.p_vaddr != segment.p_paddr) // where it is linked to run, once it translates
                program.code.push_back({first - segment.p_paddr + segment.p_vaddr, filled, to});
        }
        std::uint64_t entry = header.e_entry; // by the segment, as translation is off
        if (entry - segment.p_vaddr < segment.p_memsz)
            program.entry = entry - segment.p_vaddr + segment.p_paddr;
    }
    if (loaded.empty())
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
    Elf32_Ehdr header; // the fields read here are at the same place in both
    if (image.size() < sizeof header)
        refuse(path + " is not an ELF file");
    std::memcpy(&header, image.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        refuse(path + " is not an ELF file");
    bool wide = header.e_ident[EI_CLASS] == ELFCLASS64;
    if (header.e_ident[EI_DATA] != ELFDATA2LSB)
        refuse(path + " is not little-endian");
    if (header.e_type != ET_EXEC)
        refuse(path + " is " + kind_of(header.e_type));
    if (header.e_machine != kind.machine || wide != (kind.machine == EM_AARCH64))
        refuse(path + " is a program for " + set_of(header.e_machine) + "; " + kind.board +
               " runs " + set_of(kind.machine));
    return wide ? load_segments<Elf64_Ehdr, Elf64_Phdr>(memory, path, image)
                : load_segments<Elf32_Ehdr, Elf32_Phdr>(memory, path, image);
}

void load_binary(const Memory &memory, const std::string &path, std::uint64_t address) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad())
        refuse("cannot read " + path);
    if (image.empty())
        refuse(path + " is empty");
    std::uint8_t *to = memory.at(address, image.size());
    if (!to)
        refuse(path + " at " + range_of(address, image.size()) +
               " is outside the memory, which is " + memory.about());
    std::memcpy(to, image.data(), image.size());
}

} // namespace twin
