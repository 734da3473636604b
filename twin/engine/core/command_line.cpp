#include "core/command_line.h"

#include "core/stop.h"

#include <cerrno>
#include <cstdlib>
#include <getopt.h>

namespace twin {

std::uint64_t number(const std::string &text, std::uint64_t most) {
    char *rest = nullptr;
    errno = 0;
    unsigned long long value = std::strtoull(text.c_str(), &rest, 0);
    if (text.empty() || text[0] == '-' || *rest || errno || value > most)
        refuse("not a number up to " + hex(most) + ": " + text);
    return value;
}

void CommandLine::parse(int argc, char **argv) const {
    std::vector<option> known;
    for (const auto &word : words_)
        known.push_back({word.name, word.valued ? required_argument : no_argument, nullptr,
                         static_cast<int>(known.size()) + 1});
    known.push_back({});
    for (int found; (found = getopt_long(argc, argv, "", known.data(), nullptr)) != -1;) {
        if (found == '?') // getopt_long has said what
            std::exit(exit_usage);
        words_[static_cast<std::size_t>(found) - 1].taken(optarg ? optarg : "");
    }
    if (optind != argc)
        refuse(std::string("unknown argument ") + argv[optind]);
}

} // namespace twin
