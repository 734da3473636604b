// The functions of a program: what stands at an address.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace twin {

class Symbols {
  public:
    // From a text with a line "ADDRESS NAME" for each function, as the Python front has read them
    // from the program and made them harmless; after a tab the name that tells it apart from others
    // of its name. A line without a name is an end of the program's bytes: what follows belongs to
    // no function. An empty path: none. Refuses another text.
    explicit Symbols(const std::string &path);

    // "0x80000124 (main+0x24)"; the address alone in no function.
    std::string where(std::uint64_t address) const;

    // The same of where a call returns to: after one that never does, the next function may begin.
    std::string return_to(std::uint64_t address) const;

    // First address of the function that holds an address, or 0.
    std::uint64_t function(std::uint64_t address) const;

    // Name of the function that begins there, which no other one has, or the address.
    std::string name(std::uint64_t function) const;

  private:
    // First address and name of the function that holds an address, or null.
    const std::pair<const std::uint64_t, std::string> *holder(std::uint64_t address) const;

    // An address, relative to the function that holds `inside`.
    std::string within(std::uint64_t inside, std::uint64_t address) const;

    std::map<std::uint64_t, std::string> functions_;
    std::map<std::uint64_t, std::string> apart_; // of functions that share their name
};

} // namespace twin
