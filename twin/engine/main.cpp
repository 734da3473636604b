// irqscope-twin: a simulated board at a pseudo-terminal. Started by the Python front, which reads
// the timing profile and knows where the build products are.
#include "boards/stm32f4/board.h"
#include "boards/zynq7000/board.h"
#include "boards/zynqmp/bench.h"
#include "boards/zynqmp/board.h"
#include "boards/zynqmp/served.h"
#include "core/board.h"
#include "core/command_line.h"
#include "core/csv_file.h"
#include "core/ending.h"
#include "core/options.h"
#include "core/pty.h"
#include "core/scheduler.h"
#include "core/stop.h"
#include "core/subject.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

struct Options {
    twin::BoardOptions board;
    std::string machine;
    std::string profile;
    std::string stats;
    std::string bench;
    std::string serve;
    twin::SubjectSettings subject;
    twin::ProgramOptions program;
    std::string masked;
    std::map<std::string, twin::Time> program_constants; // of a chip's profile
    std::string chip; // for the program; empty: the machine's own
    std::vector<twin::LineTo> lines{twin::program_lines};
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

// KIND:ADDRESS:SIZE=PIN, of kind pc, store or pin.
twin::Place place(const std::string &text) {
    auto first = text.find(':'), second = text.find(':', first + 1), pin = text.find('=');
    if (second == std::string::npos || pin == std::string::npos)
        twin::refuse("--place wants KIND:ADDRESS:SIZE=PIN");
    auto part = [&](auto begin, auto end) {
        return twin::number<std::uint64_t>(text.substr(begin, end - begin));
    };
    using Kind = twin::Place::Kind;
    std::string kind = text.substr(0, first);
    return {kind == "store" ? Kind::store
            : kind == "pin" ? Kind::pin
                            : Kind::instruction,
            part(first + 1, second), part(second + 1, pin),
            static_cast<unsigned>(part(pin + 1, text.size()) % twin::Places::pins)};
}

// LINE=KIND:NUMBER, of kind pin or irq.
void lead(std::vector<twin::LineTo> &lines, const std::string &text) {
    auto at = text.find('='), colon = text.find(':');
    if (at == std::string::npos || colon == std::string::npos)
        twin::refuse("--lead wants LINE=KIND:NUMBER");
    bool is_pin = text.substr(at + 1, colon - at - 1) == "pin";
    lines[twin::number<unsigned>(text.substr(0, at)) % lines.size()] = {
        is_pin ? twin::LineTo::Kind::pin : twin::LineTo::Kind::interrupt,
        twin::number<unsigned>(text.substr(colon + 1))};
}

// NAME=UNITS
void constant(std::map<std::string, twin::Time> &constants, const std::string &text) {
    auto at = text.find('=');
    if (at == std::string::npos)
        twin::refuse("a constant is given by NAME=UNITS");
    auto units = twin::number<std::uint64_t>(text.substr(at + 1));
    if (!constants.emplace(text.substr(0, at), units).second)
        twin::refuse("profile constant given twice: " + text.substr(0, at));
}

// BASE+SIZE, FILE@ADDRESS.
std::pair<std::string, std::uint64_t> split(const std::string &text, char mark, const char *wants) {
    auto at = text.rfind(mark);
    if (at == std::string::npos)
        twin::refuse(std::string(wants) + ", not " + text);
    return {text.substr(0, at), twin::number<std::uint64_t>(text.substr(at + 1))};
}

Options parse(int argc, char **argv) {
    Options options;
    auto &board = options.board;
    auto &subject = options.subject;
    twin::CommandLine line;
    line.text("elf", board.elf);
    line.text("machine", options.machine);
    line.call("constant", [&](const std::string &value) { constant(board.constants, value); });
    line.call("program-constant",
              [&](const std::string &value) { constant(options.program_constants, value); });
    line.text("chip", options.chip);
    line.call("lead", [&](const std::string &value) { lead(options.lines, value); });
    line.text("profile", options.profile);
    line.text("model", board.model);
    line.number("source-id", board.source_id);
    line.number("source-hash", board.source_hash);
    line.number("tick-hz", board.tick_hz);
    line.number("uart", board.uart);
    line.flag("no-skip", board.skipping, false);
    line.texts("fault", board.faults);
    line.texts("variant", board.variants);
    line.texts("device", board.device);
    line.text("stats", options.stats);
    line.text("trace", board.trace);
    line.text("markers", board.markers);
    line.text("bench-rtl", options.bench);
    line.text("serve", options.serve);
    line.text("program", subject.elf);
    line.text("program-name", subject.name);
    line.text("symbols", subject.symbols);
    line.call("place", [&](const std::string &value) { subject.places.push_back(place(value)); });
    line.call("ready", [&](const std::string &value) {
        subject.ready = twin::number<std::uint64_t>(value);
    });
    auto &program = options.program;
    line.call("ram", [&](const std::string &value) {
        auto [base, size] = split(value, '+', "--ram wants BASE+SIZE");
        program.ram.push_back({twin::number<std::uint64_t>(base), size});
    });
    line.call("gpio", [&](const std::string &value) {
        program.gpio.push_back(twin::number<std::uint64_t>(value));
    });
    line.call("bin", [&](const std::string &value) {
        auto [path, address] = split(value, '@', "--bin wants FILE@ADDRESS");
        program.binaries.push_back({path, address});
    });
    line.call("entry", [&](const std::string &value) {
        program.entry = twin::number<std::uint64_t>(value);
    });
    line.call("el",
              [&](const std::string &value) { program.level = twin::number<unsigned>(value); });
    line.number("x0", program.argument);
    line.text("masked", options.masked);
    line.text("functions", subject.functions);
    line.text("interruptions", subject.interruptions);
    line.parse(argc, argv);
    subject.masked = !options.masked.empty();
    return options;
}

} // namespace

int main(int argc, char **argv) {
    Options options = parse(argc, argv);
    if (!options.bench.empty())
        return twin::zynqmp::bench_rtl(options.bench, options.board.skipping, std::cout);
    if (!options.serve.empty()) {
        const auto &board = options.board;
        twin::Ending ending;
        ending.watch_parent();
        twin::zynqmp::serve(
            {options.serve, board.source_id, board.source_hash, board.tick_hz, board.trace},
            ending.asked(), ending.descriptor(), std::cout);
        std::cout.flush();
        _exit(0);
    }
    if (options.board.elf.empty())
        twin::refuse("--elf is missing");
    const Known &known = board_of(options.machine);
    twin::Ending ending;
    twin::Pty pty(ending.descriptor());
    std::unique_ptr<twin::Subject> subject;
    std::unique_ptr<twin::ProgramBoard> beside;
    if (!options.subject.elf.empty()) {
        options.subject.tick =
            (twin::per_ns * 1'000'000'000 + options.board.tick_hz / 2) / options.board.tick_hz;
        subject = std::make_unique<twin::Subject>(options.subject);
        twin::BoardOptions of_program = options.board;
        of_program.program = options.program;
        subject->join(options.board, of_program);
        of_program.unit_hz = options.subject.tick * options.board.tick_hz;
        of_program.lines = options.lines;
        of_program.chip = options.chip;
        if (options.chip.empty()) {
            beside = known.make(of_program, pty, ending.asked());
        } else {
            of_program.constants = options.program_constants;
            beside = std::make_unique<twin::stm32f4::Stm32f4>(of_program);
        }
        subject->attach(*beside);
    }
    auto board = known.make(options.board, pty, ending.asked());
    if (subject)
        subject->measured_by(board->gateware());
    twin::Scheduler scheduler(*board, pty, ending.asked(), subject.get());
    twin::CsvFile masked("the masked map", options.masked, twin::MaskedMap::columns);
    std::ofstream stats;
    if (!options.stats.empty()) {
        stats.open(options.stats);
        if (!stats)
            twin::refuse("cannot write the statistics to " + options.stats);
    }
    ending.watch_parent();
    std::cout << "{\"port\": " << twin::json_string(pty.port())
              << ", \"profile\": " << twin::json_string(options.profile) << "}" << std::endl;

    auto start = std::chrono::steady_clock::now();
    scheduler.run();
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    if (stats.is_open()) {
        scheduler.write_stats(stats, wall.count());
        stats.close();
        if (!stats)
            twin::stop_engine("cannot write the statistics to " + options.stats);
    }
    if (subject && masked.wanted())
        subject->write_masked(masked);
    // Cores may be in the middle of an instruction, so nothing is taken down.
    std::cout.flush();
    _exit(0);
}
