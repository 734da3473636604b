#include "core/symbols.h"

#include <algorithm>
#include <elf.h>
#include <fstream>
#include <iterator>

namespace twin {

Symbols::Symbols(const std::string &path, const std::vector<std::uint8_t> &file) : path_(path) {
    if (file.size() > EI_CLASS && file[EI_CLASS] == ELFCLASS64)
        read<Elf64_Ehdr, Elf64_Shdr, Elf64_Sym>(file);
    else
        read<Elf32_Ehdr, Elf32_Shdr, Elf32_Sym>(file);
}

template <typename Header, typename Section, typename Symbol>
void Symbols::read(const std::vector<std::uint8_t> &file) {
    auto header = part_of<Header>(path_, file, 0);
    std::map<std::uint64_t, std::string> sources; // of local functions
    for (unsigned i = 0; i < header.e_shnum; i++) {
        auto table = part_of<Section>(path_, file, header.e_shoff + i * sizeof(Section));
        if (table.sh_type != SHT_SYMTAB)
            continue;
        auto names =
            part_of<Section>(path_, file, header.e_shoff + table.sh_link * sizeof(Section));
        std::string source; // that the local symbols after it belong to
        for (std::size_t at = 0; at < table.sh_size; at += sizeof(Symbol)) {
            auto symbol = part_of<Symbol>(path_, file, table.sh_offset + at);
            std::size_t begin = names.sh_offset + symbol.st_name;
            auto end = std::find(file.begin() + std::min(begin, file.size()), file.end(), 0);
            if (begin < file.size() && symbol.st_name != 0)
                symbols_[{file.begin() + begin, end}] = symbol.st_value;
            // Labels of assembly have no type; those that begin with a dollar or a point are marks.
            unsigned type = ELF32_ST_TYPE(symbol.st_info);
            bool local = ELF32_ST_BIND(symbol.st_info) == STB_LOCAL;
            if (type == STT_FILE && begin < file.size())
                source.assign(file.begin() + begin, end);
            if ((type == STT_FUNC || type == STT_NOTYPE) && symbol.st_shndx != SHN_UNDEF &&
                symbol.st_shndx < SHN_LORESERVE && begin < file.size() && file[begin] != '$' &&
                file[begin] != '.' && file[begin] != 0) {
                functions_[symbol.st_value] = {file.begin() + begin, end};
                sources[symbol.st_value] = local ? source : "";
            }
        }
    }
    tell_apart(sources);
}

void Symbols::tell_apart(const std::map<std::uint64_t, std::string> &sources) {
    std::map<std::string, unsigned> of_name, of_source, before;
    auto in_source = [&](std::uint64_t address, const std::string &name) {
        const std::string &source = sources.at(address);
        return source.empty() ? name : name + " (" + source + ")";
    };
    for (const auto &[address, name] : functions_) {
        ++of_name[name];
        ++of_source[in_source(address, name)];
    }
    for (const auto &[address, name] : functions_) {
        if (of_name[name] == 1)
            continue;
        std::string known = in_source(address, name);
        if (of_source[known] > 1) {
            std::string number = std::to_string(++before[known]);
            known = sources.at(address).empty()
                        ? name + " (" + number + ")"
                        : known.substr(0, known.size() - 1) + ", " + number + ")";
        }
        apart_[address] = known;
    }
}

std::uint64_t Symbols::function(std::uint64_t address) const {
    auto after = functions_.upper_bound(address);
    return after == functions_.begin() ? 0 : std::prev(after)->first;
}

std::string Symbols::name(std::uint64_t function) const {
    if (auto shared = apart_.find(function); shared != apart_.end())
        return shared->second;
    auto found = functions_.find(function);
    return found == functions_.end() ? hex(function) : found->second;
}

std::string Symbols::where(std::uint64_t address) const { return within(address, address); }

std::string Symbols::return_to(std::uint64_t address) const { return within(address - 1, address); }

std::string Symbols::within(std::uint64_t inside, std::uint64_t address) const {
    auto after = functions_.upper_bound(inside);
    if (after == functions_.begin())
        return hex(address);
    auto [start, name] = *std::prev(after);
    std::string offset = address == start ? "" : "+" + hex(address - start);
    return hex(address) + " (" + name + offset + ")";
}

std::uint64_t Symbols::address_of(const std::string &name) const {
    auto found = symbols_.find(name);
    if (found == symbols_.end())
        refuse(path_ + " has no symbol " + name + "; name one of the handlers in fw/stacks");
    return found->second;
}

std::vector<std::uint8_t> file_of(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    std::vector<std::uint8_t> file{std::istreambuf_iterator<char>(stream), {}};
    if (!stream)
        refuse("cannot read " + path);
    return file;
}

} // namespace twin
