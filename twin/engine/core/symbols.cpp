#include "core/symbols.h"

#include "core/stop.h"

#include <fstream>
#include <iterator>

namespace twin {

Symbols::Symbols(const std::string &path) {
    if (path.empty())
        return;
    std::ifstream file(path);
    std::uint64_t address;
    for (std::string name; file >> std::hex >> address && std::getline(file.ignore(), name);) {
        auto tab = name.find('\t');
        functions_[address] = name.substr(0, tab);
        if (tab != std::string::npos)
            apart_[address] = name.substr(tab + 1);
    }
    if (!file.eof())
        refuse("cannot read the symbols from " + path);
}

const std::pair<const std::uint64_t, std::string> *Symbols::holder(std::uint64_t address) const {
    auto after = functions_.upper_bound(address);
    if (after == functions_.begin() || std::prev(after)->second.empty())
        return nullptr;
    return &*std::prev(after);
}

std::uint64_t Symbols::function(std::uint64_t address) const {
    auto *held = holder(address);
    return held ? held->first : 0;
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
    auto *held = holder(inside);
    if (!held)
        return hex(address);
    const auto &[start, name] = *held;
    std::string offset = address == start ? "" : "+" + hex(address - start);
    return hex(address) + " (" + name + offset + ")";
}

} // namespace twin
