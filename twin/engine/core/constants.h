// The constants of a timing profile, by name and in units of twin time. The table with meaning,
// source and range of each is twin/profiles/<name>.toml; the Python front hands the values over.
#pragma once

#include "core/units.h"

#include <cstddef>
#include <map>
#include <string>

namespace twin {

// Each is taken exactly once; a missing or unknown one is refused.
class Constants {
  public:
    explicit Constants(std::map<std::string, Time> values) : values_(std::move(values)) {}

    Time take(const std::string &name);

    // Everything must have been taken.
    void finish() const;

  private:
    std::map<std::string, Time> values_;
};

template <typename Struct> struct ConstantKey {
    const char *name;
    Time Struct::*member;
};

// Takes what `keys` name into members.
template <typename Struct, typename Of, std::size_t count>
void take_members(Constants &constants, Struct &into, const ConstantKey<Of> (&keys)[count]) {
    for (const auto &key : keys)
        into.*key.member = constants.take(key.name);
}

} // namespace twin
