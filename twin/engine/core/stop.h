// The engine's way to refuse: one line, a fuller report, exit code 3.
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace twin {

inline constexpr int exit_usage = 2;
inline constexpr int exit_stopped = 3;

// Prints `line`, then what the post-mortem writer adds, and ends the process. It may be called
// from anywhere, also from below translated code where no exception could be thrown.
[[noreturn]] void stop_engine(const std::string &line);

// Refuses a command line, profile or file: one line, exit code 2.
[[noreturn]] void refuse(const std::string &line);

// Text that stop_engine adds after its line (registers of all cores), and files that it must flush.
void set_post_mortem(std::function<void(std::ostream &)> writer);

std::string hex(std::uint64_t value);

} // namespace twin
