// irqscope-twin: a simulated ZCU102 behind a pseudo-terminal. Started by the Python front, which
// reads the timing profile and knows where the build products are.
#include "bench.h"
#include "machine.h"
#include "profile.h"
#include "pty.h"
#include "stop.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <getopt.h>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

std::atomic<bool> quit{false};
int quit_pipe[2];

void end() {
    quit = true;
    [[maybe_unused]] ssize_t count = write(quit_pipe[1], "q", 1);
}

void on_signal(int) { end(); }

// The parent holds the other end of standard input: when it is gone, so are we.
void watch_stdin() {
    std::thread([] {
        char buffer[256];
        while (read(STDIN_FILENO, buffer, sizeof buffer) > 0) {
        }
        end();
    }).detach();
}

struct Options {
    twin::Machine::Settings machine;
    std::map<std::string, twin::Time> constants;
    std::string profile;
    std::string model;
    std::string stats;
    std::string bench;
};

std::uint64_t number(const std::string &text) {
    char *rest = nullptr;
    std::uint64_t value = std::strtoull(text.c_str(), &rest, 0);
    if (text.empty() || *rest)
        twin::refuse("not a number: " + text);
    return value;
}

Options parse(int argc, char **argv) {
    enum {
        elf = 1,
        constant,
        profile,
        model,
        source_id,
        source_hash,
        no_skip,
        fault,
        variant,
        stats,
        trace,
        markers,
        bench
    };
    const option known[] = {{"elf", required_argument, nullptr, elf},
                            {"constant", required_argument, nullptr, constant},
                            {"profile", required_argument, nullptr, profile},
                            {"model", required_argument, nullptr, model},
                            {"source-id", required_argument, nullptr, source_id},
                            {"source-hash", required_argument, nullptr, source_hash},
                            {"no-skip", no_argument, nullptr, no_skip},
                            {"fault", required_argument, nullptr, fault},
                            {"variant", required_argument, nullptr, variant},
                            {"stats", required_argument, nullptr, stats},
                            {"trace", required_argument, nullptr, trace},
                            {"markers", required_argument, nullptr, markers},
                            {"bench-rtl", required_argument, nullptr, bench},
                            {nullptr, 0, nullptr, 0}};
    Options options;
    for (int found; (found = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
        std::string value = optarg ? optarg : "";
        switch (found) {
        case elf:
            options.machine.elf = value;
            break;
        case constant: {
            auto at = value.find('=');
            if (at == std::string::npos)
                twin::refuse("--constant wants NAME=UNITS");
            if (!options.constants.emplace(value.substr(0, at), number(value.substr(at + 1)))
                     .second)
                twin::refuse("profile constant given twice: " + value.substr(0, at));
            break;
        }
        case profile:
            options.profile = value;
            break;
        case model:
            options.model = value;
            break;
        case source_id:
            options.machine.identity.source_id = static_cast<std::uint32_t>(number(value));
            break;
        case source_hash:
            options.machine.identity.source_hash = static_cast<std::uint32_t>(number(value));
            break;
        case no_skip:
            options.machine.skipping = false;
            break;
        case fault:
            options.machine.faults.set(value);
            break;
        case variant:
            options.machine.variants.set(value);
            break;
        case stats:
            options.stats = value;
            break;
        case trace:
            options.machine.trace = value;
            break;
        case markers:
            options.machine.markers = value;
            break;
        case bench:
            options.bench = value;
            break;
        default:
            std::exit(twin::exit_usage);
        }
    }
    if (optind != argc)
        twin::refuse(std::string("unknown argument ") + argv[optind]);
    return options;
}

} // namespace

int main(int argc, char **argv) {
    Options options = parse(argc, argv);
    if (!options.bench.empty())
        return twin::bench_rtl(options.bench, std::cout);
    if (options.machine.elf.empty())
        twin::refuse("--elf is missing");

    twin::Constants constants(options.constants);
    auto profile = twin::Profile::from(constants);
    std::optional<twin::a53::Parameters> a53;
    if (options.model == "a53")
        options.machine.a53 = &a53.emplace(twin::a53::Parameters::from(constants));
    else if (options.model != "functional")
        twin::refuse("unknown timing model " + options.model);
    constants.finish();
    if (pipe(quit_pipe) != 0)
        twin::refuse("no pipe");
    std::signal(SIGTERM, on_signal);
    std::signal(SIGINT, on_signal);

    twin::Pty pty(quit_pipe[0]);
    twin::Machine machine(profile, options.machine, pty, quit);
    std::ofstream stats;
    if (!options.stats.empty()) {
        stats.open(options.stats);
        if (!stats)
            twin::refuse("cannot write the statistics to " + options.stats);
    }
    watch_stdin();
    std::cout << "{\"port\": \"" << pty.port() << "\", \"profile\": \"" << options.profile << "\"}"
              << std::endl;

    auto start = std::chrono::steady_clock::now();
    machine.run();
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    if (stats.is_open())
        machine.write_stats(stats, wall.count());
    stats.close();
    // Cores may stand in the middle of an instruction, so nothing is taken down.
    std::cout.flush();
    _exit(0);
}
