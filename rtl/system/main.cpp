// irqscope-rtl: a soft core in RTL simulation behind a pseudo-terminal. Started by the Python
// front, which knows where the build products are.
#include "core/ending.h"
#include "core/pty.h"
#include "core/stop.h"
#include "program.h"
#include "system.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <getopt.h>
#include <iostream>
#include <string>

namespace {

std::uint32_t number(const std::string &text) {
    char *rest = nullptr;
    unsigned long long value = std::strtoull(text.c_str(), &rest, 0);
    if (text.empty() || *rest || value > UINT32_MAX)
        twin::refuse("not a number of 32 bits: " + text);
    return static_cast<std::uint32_t>(value);
}

struct Options {
    rtl::Settings system;
    std::string elf, stats, core;
    std::vector<std::string> watches; // SYMBOL=CODE
    std::uint64_t cycles = UINT64_MAX;
    bool bare = false;
};

Options parse(int argc, char **argv) {
    enum {
        elf = 1,
        core,
        memory,
        tick_hz,
        source_id,
        source_hash,
        watch,
        no_skip,
        stats,
        trace,
        markers,
        cycles,
        bare
    };
    const option known[] = {{"elf", required_argument, nullptr, elf},
                            {"core", required_argument, nullptr, core},
                            {"memory", required_argument, nullptr, memory},
                            {"tick-hz", required_argument, nullptr, tick_hz},
                            {"source-id", required_argument, nullptr, source_id},
                            {"source-hash", required_argument, nullptr, source_hash},
                            {"watch", required_argument, nullptr, watch},
                            {"no-skip", no_argument, nullptr, no_skip},
                            {"stats", required_argument, nullptr, stats},
                            {"trace", required_argument, nullptr, trace},
                            {"markers", required_argument, nullptr, markers},
                            {"cycles", required_argument, nullptr, cycles},
                            {"bare", no_argument, nullptr, bare},
                            {nullptr, 0, nullptr, 0}};
    Options options;
    for (int found; (found = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
        std::string value = optarg ? optarg : "";
        switch (found) {
        case elf:
            options.elf = value;
            break;
        case core:
            options.core = value;
            break;
        case memory:
            options.system.memory_bytes = number(value);
            break;
        case tick_hz:
            options.system.tick_hz = number(value);
            break;
        case source_id:
            options.system.source_id = number(value);
            break;
        case source_hash:
            options.system.source_hash = number(value);
            break;
        case watch:
            options.watches.push_back(value);
            break;
        case no_skip:
            options.system.skipping = false;
            break;
        case stats:
            options.stats = value;
            break;
        case trace:
            options.system.trace = value;
            break;
        case markers:
            options.system.markers = value;
            break;
        case cycles:
            options.cycles = number(value);
            break;
        case bare:
            options.bare = true;
            break;
        default:
            std::exit(twin::exit_usage);
        }
    }
    if (optind != argc)
        twin::refuse(std::string("unknown argument ") + argv[optind]);
    if (options.bare && options.cycles == UINT64_MAX)
        twin::refuse("--bare wants --cycles");
    return options;
}

void find_watches(Options &options, const rtl::Program &program) {
    for (const auto &watch : options.watches) {
        auto at = watch.find('=');
        if (at == std::string::npos)
            twin::refuse("--watch wants SYMBOL=CODE");
        unsigned code = number(watch.substr(at + 1));
        if (code > 7)
            twin::refuse("a marker's code is 0 to 7");
        options.system.watches.push_back({program.address_of(watch.substr(0, at)), code});
    }
}

} // namespace

int main(int argc, char **argv) {
    Options options = parse(argc, argv);
    if (options.elf.empty() || options.system.memory_bytes < 0x100000)
        twin::refuse("--elf or --memory is missing");
    rtl::Program program(options.elf);
    std::vector<std::uint8_t> memory(options.system.memory_bytes);
    program.load(memory);
    find_watches(options, program);
    twin::Ending ending;
    twin::Pty pty(ending.descriptor());
    rtl::System system(options.system, memory, pty, ending.asked());
    std::ofstream stats;
    if (!options.stats.empty()) {
        stats.open(options.stats);
        if (!stats)
            twin::refuse("cannot write the statistics to " + options.stats);
    }
    ending.watch_parent();
    std::cout << "{\"port\": \"" << pty.port() << "\", \"profile\": \"" << options.core << "\"}"
              << std::endl;

    auto start = std::chrono::steady_clock::now();
    std::clock_t before = std::clock();
    if (options.bare)
        system.run_bare(options.cycles);
    else
        system.run(options.cycles);
    double processor = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    if (stats.is_open())
        system.write_stats(stats, wall.count(), processor);
    return 0;
}
