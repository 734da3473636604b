#include "core/stop.h"

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace twin {

namespace {
std::function<void(std::ostream &)> post_mortem;
}

void set_post_mortem(std::function<void(std::ostream &)> writer) {
    post_mortem = std::move(writer);
}

void stop_engine(const std::string &line) {
    std::cerr << program_invocation_short_name << ": " << line << "\n";
    if (post_mortem) {
        auto writer = std::move(post_mortem);
        post_mortem = nullptr; // a second stop inside the report must not recurse
        writer(std::cerr);
    }
    std::cerr.flush();
    // No destructors: cores may be in the middle of translated code.
    _exit(exit_stopped);
}

void refuse(const std::string &line) {
    std::cerr << program_invocation_short_name << ": " << line << std::endl;
    _exit(exit_usage);
}

std::string hex(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

} // namespace twin
