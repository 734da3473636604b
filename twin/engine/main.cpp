// irqscope-twin: a simulated board behind a pseudo-terminal. Started by the Python front, which
// reads the timing profile and knows where the build products are.
#include "boards/zynq7000/board.h"
#include "boards/zynqmp/bench.h"
#include "boards/zynqmp/board.h"
#include "core/board.h"
#include "core/ending.h"
#include "core/options.h"
#include "core/pty.h"
#include "core/scheduler.h"
#include "core/stop.h"
#include "core/subject.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <getopt.h>
#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>

namespace {

struct Options {
    twin::BoardOptions board;
    std::string machine;
    std::string profile;
    std::string stats;
    std::string bench;
    twin::SubjectSettings subject;
    std::string masked;
};

// The boards that there are, by the name of their machine.
struct Known {
    const char *machine;
    std::unique_ptr<twin::Board> (*make)(const twin::BoardOptions &, twin::Pty &,
                                         const std::atomic<bool> &);
};

template <typename Made>
std::unique_ptr<twin::Board> make(const twin::BoardOptions &options, twin::Pty &pty,
                                  const std::atomic<bool> &ending) {
    return std::make_unique<Made>(options, pty, ending);
}

constexpr Known boards[] = {
    {"zynqmp", make<twin::zynqmp::ZynqMp>},
    {"zynq7000", make<twin::zynq7000::Zynq7000>},
};

const Known &board_of(const std::string &machine) {
    for (const auto &board : boards)
        if (machine == board.machine)
            return board;
    twin::refuse("unknown machine " + machine);
}

std::uint64_t number(const std::string &text) {
    char *rest = nullptr;
    std::uint64_t value = std::strtoull(text.c_str(), &rest, 0);
    if (text.empty() || *rest)
        twin::refuse("not a number: " + text);
    return value;
}

// KIND:ADDRESS:SIZE=PIN, of kind pc or store.
twin::Place place(const std::string &text) {
    auto first = text.find(':'), second = text.find(':', first + 1), pin = text.find('=');
    if (second == std::string::npos || pin == std::string::npos)
        twin::refuse("--place wants KIND:ADDRESS:SIZE=PIN");
    return {text.substr(0, first) == "store", number(text.substr(first + 1, second - first - 1)),
            number(text.substr(second + 1, pin - second - 1)),
            static_cast<unsigned>(number(text.substr(pin + 1)) % twin::Places::pins)};
}

Options parse(int argc, char **argv) {
    enum {
        elf = 1,
        machine,
        constant,
        profile,
        model,
        source_id,
        source_hash,
        tick_hz,
        uart,
        no_skip,
        fault,
        variant,
        device,
        stats,
        trace,
        markers,
        bench,
        program,
        place,
        ready,
        masked,
        functions
    };
    const option known[] = {{"elf", required_argument, nullptr, elf},
                            {"machine", required_argument, nullptr, machine},
                            {"constant", required_argument, nullptr, constant},
                            {"profile", required_argument, nullptr, profile},
                            {"model", required_argument, nullptr, model},
                            {"source-id", required_argument, nullptr, source_id},
                            {"source-hash", required_argument, nullptr, source_hash},
                            {"tick-hz", required_argument, nullptr, tick_hz},
                            {"uart", required_argument, nullptr, uart},
                            {"no-skip", no_argument, nullptr, no_skip},
                            {"fault", required_argument, nullptr, fault},
                            {"variant", required_argument, nullptr, variant},
                            {"device", required_argument, nullptr, device},
                            {"stats", required_argument, nullptr, stats},
                            {"trace", required_argument, nullptr, trace},
                            {"markers", required_argument, nullptr, markers},
                            {"bench-rtl", required_argument, nullptr, bench},
                            {"program", required_argument, nullptr, program},
                            {"place", required_argument, nullptr, place},
                            {"ready", required_argument, nullptr, ready},
                            {"masked", required_argument, nullptr, masked},
                            {"functions", required_argument, nullptr, functions},
                            {nullptr, 0, nullptr, 0}};
    Options options;
    for (int found; (found = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
        std::string value = optarg ? optarg : "";
        switch (found) {
        case elf:
            options.board.elf = value;
            break;
        case machine:
            options.machine = value;
            break;
        case constant: {
            auto at = value.find('=');
            if (at == std::string::npos)
                twin::refuse("--constant wants NAME=UNITS");
            if (!options.board.constants.emplace(value.substr(0, at), number(value.substr(at + 1)))
                     .second)
                twin::refuse("profile constant given twice: " + value.substr(0, at));
            break;
        }
        case profile:
            options.profile = value;
            break;
        case model:
            options.board.model = value;
            break;
        case source_id:
            options.board.source_id = static_cast<std::uint32_t>(number(value));
            break;
        case source_hash:
            options.board.source_hash = static_cast<std::uint32_t>(number(value));
            break;
        case tick_hz:
            options.board.tick_hz = static_cast<std::uint32_t>(number(value));
            break;
        case uart:
            options.board.uart = static_cast<unsigned>(number(value));
            break;
        case no_skip:
            options.board.skipping = false;
            break;
        case fault:
            options.board.faults.push_back(value);
            break;
        case variant:
            options.board.variants.push_back(value);
            break;
        case device:
            options.board.device.push_back(value);
            break;
        case stats:
            options.stats = value;
            break;
        case trace:
            options.board.trace = value;
            break;
        case markers:
            options.board.markers = value;
            break;
        case bench:
            options.bench = value;
            break;
        case program:
            options.subject.elf = value;
            break;
        case place:
            options.subject.places.push_back(::place(value));
            break;
        case ready:
            options.subject.ready = number(value);
            break;
        case masked:
            options.masked = value;
            options.subject.masked = true;
            break;
        case functions:
            options.subject.functions = value;
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
        return twin::zynqmp::bench_rtl(options.bench, options.board.skipping, std::cout);
    if (options.board.elf.empty())
        twin::refuse("--elf is missing");
    const Known &known = board_of(options.machine);
    twin::Ending ending;
    twin::Pty pty(ending.descriptor());
    std::unique_ptr<twin::Subject> subject;
    std::unique_ptr<twin::Board> beside;
    if (!options.subject.elf.empty()) {
        options.subject.tick =
            (twin::per_ns * 1'000'000'000 + options.board.tick_hz / 2) / options.board.tick_hz;
        subject = std::make_unique<twin::Subject>(options.subject);
        twin::BoardOptions of_program = options.board;
        subject->join(options.board, of_program);
        beside = known.make(of_program, pty, ending.asked());
        subject->attach(*beside);
    }
    auto board = known.make(options.board, pty, ending.asked());
    twin::Scheduler scheduler(*board, pty, ending.asked(), subject.get());
    std::ofstream stats;
    if (!options.stats.empty()) {
        stats.open(options.stats);
        if (!stats)
            twin::refuse("cannot write the statistics to " + options.stats);
    }
    ending.watch_parent();
    std::cout << "{\"port\": \"" << pty.port() << "\", \"profile\": \"" << options.profile << "\"}"
              << std::endl;

    auto start = std::chrono::steady_clock::now();
    scheduler.run();
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    if (stats.is_open())
        scheduler.write_stats(stats, wall.count());
    stats.close();
    if (subject && !options.masked.empty()) {
        std::ofstream masked(options.masked);
        subject->write_masked(masked, board->gateware());
        masked.close();
        if (!masked)
            twin::stop_engine("cannot write the masked map to " + options.masked);
    }
    // Cores may be in the middle of an instruction, so nothing is taken down.
    std::cout.flush();
    _exit(0);
}
