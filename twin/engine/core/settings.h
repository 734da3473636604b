// Members of a struct of numbers that the command line sets by "name=number".
#pragma once

#include "core/stop.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace twin {

template <typename Struct> struct SettingKey {
    const char *name;
    std::uint64_t Struct::*member;
};

// Sets it; false if `setting` is anything but a key with a number.
template <typename Struct, std::size_t count>
bool try_member(Struct &settings, const SettingKey<Struct> (&keys)[count],
                const std::string &setting) {
    auto at = setting.find('=');
    for (const auto &key : keys)
        if (at != std::string::npos && setting.substr(0, at) == key.name) {
            std::string text = setting.substr(at + 1);
            char *rest = nullptr;
            settings.*key.member = std::strtoull(text.c_str(), &rest, 0);
            if (!text.empty() && !*rest)
                return true;
        }
    return false;
}

// Sets it; anything else is refused, as an unknown `what`.
template <typename Struct, std::size_t count>
void set_member(Struct &settings, const SettingKey<Struct> (&keys)[count],
                const std::string &setting, const char *what) {
    if (!try_member(settings, keys, setting))
        refuse(std::string("unknown ") + what + " " + setting);
}

} // namespace twin
