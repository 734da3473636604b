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
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>

namespace {

std::uint32_t number(const std::string &text) {
    char *rest = nullptr;
    unsigned long long value = std::strtoull(text.c_str(), &rest, 0);
    if (text.empty() || *rest || value > UINT32_MAX)
        twin::refuse("not a number of 32 bits: " + text);
    return static_cast<std::uint32_t>(value);
}

// "BASE+SIZE"
rtl::Region region(const std::string &text) {
    auto plus = text.find('+');
    if (plus == std::string::npos)
        twin::refuse("ram wants BASE+SIZE, not " + text);
    rtl::Region found{number(text.substr(0, plus)), number(text.substr(plus + 1))};
    if (found.base % 4 || found.size % 4 || found.size == 0 ||
        found.base + found.size - 1 < found.base)
        twin::refuse("ram: " + text + " is no piece of the address space in whole words");
    return found;
}

// "STAGE:ADDRESS:SIZE=CODE", as the Python front has resolved it.
rtl::Place place(const std::string &text) {
    auto first = text.find(':'), second = text.find(':', first + 1), at = text.find('=');
    if (first == std::string::npos || second == std::string::npos || at == std::string::npos)
        twin::refuse("--place wants STAGE:ADDRESS:SIZE=CODE");
    return {static_cast<rtl::Stage>(number(text.substr(0, first))),
            number(text.substr(first + 1, second - first - 1)),
            number(text.substr(second + 1, at - second - 1)), number(text.substr(at + 1))};
}

struct Options {
    rtl::Settings system;
    rtl::SubjectSettings subject;
    std::string elf, stats, core, program, masked;
    std::vector<std::string> watches; // SYMBOL=CODE
    std::uint64_t cycles = UINT64_MAX;
    bool bare = false;
};

Options parse(int argc, char **argv) {
    Options options;
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
        bare,
        program,
        place,
        ready,
        line,
        ram,
        clint,
        uart,
        uart_model,
        gpio,
        finisher,
        timer_divisor,
        wait_least,
        wait_most,
        wait_seed,
        masked,
        functions
    };
    auto &board = options.subject.board;
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
                            {"program", required_argument, nullptr, program},
                            {"place", required_argument, nullptr, place},
                            {"ready", required_argument, nullptr, ready},
                            {"line", required_argument, nullptr, line},
                            {"ram", required_argument, nullptr, ram},
                            {"clint", required_argument, nullptr, clint},
                            {"uart", required_argument, nullptr, uart},
                            {"uart-model", required_argument, nullptr, uart_model},
                            {"gpio", required_argument, nullptr, gpio},
                            {"finisher", required_argument, nullptr, finisher},
                            {"timer", required_argument, nullptr, timer_divisor},
                            {"wait-least", required_argument, nullptr, wait_least},
                            {"wait-most", required_argument, nullptr, wait_most},
                            {"wait-seed", required_argument, nullptr, wait_seed},
                            {"masked", required_argument, nullptr, masked},
                            {"functions", required_argument, nullptr, functions},
                            {nullptr, 0, nullptr, 0}};
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
        case program:
            options.program = value;
            break;
        case place:
            options.subject.places.push_back(::place(value));
            break;
        case ready:
            options.subject.ready = number(value);
            break;
        case line:
            options.subject.first_cause = number(value);
            break;
        case ram:
            board.memory.push_back(region(value));
            break;
        case clint:
            board.clint = number(value);
            break;
        case uart:
            board.uart = number(value);
            break;
        case uart_model:
            board.model = value == "sifive"     ? rtl::UartModel::sifive
                          : value == "uartlite" ? rtl::UartModel::uartlite
                                                : rtl::UartModel::ns16550;
            break;
        case gpio:
            board.gpio = number(value);
            break;
        case finisher:
            board.finisher = number(value);
            break;
        case timer_divisor:
            board.timer_divisor = number(value);
            break;
        case wait_least:
            board.wait_least = number(value);
            break;
        case wait_most:
            board.wait_most = number(value);
            break;
        case wait_seed:
            board.wait_seed = number(value);
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
        options.system.watches.push_back(
            {static_cast<std::uint32_t>(program.symbols().address_of(watch.substr(0, at))), code});
    }
}

} // namespace

int main(int argc, char **argv) {
    // One line is for the host, which reads no further. What the RTL prints is none of it, and a
    // full pipe would hold the simulation up.
    int to_host = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    Options options = parse(argc, argv);
    if (options.elf.empty() || options.system.memory_bytes < 0x100000)
        twin::refuse("--elf or --memory is missing");
    rtl::Program program(options.elf);
    std::vector<std::uint8_t> memory(options.system.memory_bytes);
    program.load(memory);
    find_watches(options, program);
    twin::Ending ending;
    twin::Pty pty(ending.descriptor());
    std::optional<rtl::Program> foreign;
    std::unique_ptr<rtl::Subject> subject;
    rtl::Subject *of_program = nullptr;
    if (!options.program.empty()) {
        foreign.emplace(options.program);
        subject = std::make_unique<rtl::Subject>(options.subject, *foreign);
        of_program = subject.get();
        twin::set_post_mortem([of = subject.get()](std::ostream &out) { of->write_state(out); });
    }
    rtl::System system(options.system, memory, pty, ending.asked(), std::move(subject));
    std::ofstream stats;
    if (!options.stats.empty()) {
        stats.open(options.stats);
        if (!stats)
            twin::refuse("cannot write the statistics to " + options.stats);
    }
    ending.watch_parent();
    std::string ready =
        "{\"port\": \"" + pty.port() + "\", \"profile\": \"" + options.core + "\"}\n";
    if (write(to_host, ready.data(), ready.size()) < 0)
        return twin::exit_stopped; // nobody is there any more
    close(to_host);

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
    if (of_program)
        of_program->end();
    if (of_program && !options.masked.empty()) {
        std::ofstream masked(options.masked);
        if (!masked || !of_program->write_masked(masked))
            twin::stop_engine("cannot write the masked map to " + options.masked);
    }
    return 0;
}
