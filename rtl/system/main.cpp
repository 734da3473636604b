// irqscope-rtl: a soft core in RTL simulation behind a pseudo-terminal. Started by the Python
// front, which knows where the build products are.
#include "core/command_line.h"
#include "core/csv_file.h"
#include "core/ending.h"
#include "core/pty.h"
#include "core/stop.h"
#include "program.h"
#include "system.h"

#include <chrono>
#include <ctime>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>

namespace {

constexpr auto number = twin::number<std::uint32_t>;

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

// "ADDRESS=CODE", as the Python front has resolved it.
rtl::Watch watched(const std::string &text) {
    auto at = text.find('=');
    if (at == std::string::npos)
        twin::refuse("--watch wants ADDRESS=CODE");
    unsigned code = number(text.substr(at + 1));
    if (code > 7)
        twin::refuse("a marker's code is 0 to 7");
    return {number(text.substr(0, at)), code};
}

struct Options {
    rtl::Settings system;
    rtl::SubjectSettings subject;
    std::string elf, stats, core, masked;
    std::string program, program_name, symbols; // the foreign one; its functions
    std::uint64_t cycles = UINT64_MAX;
    bool bare = false;
};

Options parse(int argc, char **argv) {
    Options options;
    auto &system = options.system;
    auto &subject = options.subject;
    auto &board = subject.board;
    twin::CommandLine line;
    line.text("elf", options.elf);
    line.text("core", options.core);
    line.number("memory", system.memory_bytes);
    line.number("tick-hz", system.tick_hz);
    line.number("source-id", system.source_id);
    line.number("source-hash", system.source_hash);
    line.call("watch", [&](const std::string &value) { system.watches.push_back(watched(value)); });
    line.flag("no-skip", system.skipping, false);
    line.text("stats", options.stats);
    line.text("trace", system.trace);
    line.text("markers", system.markers);
    line.number("cycles", options.cycles);
    line.flag("bare", options.bare, true);
    line.call("cause", [&](const std::string &value) { system.shared_cause = number(value); });
    line.text("program", options.program);
    line.text("program-name", options.program_name);
    line.text("symbols", options.symbols);
    line.call("place", [&](const std::string &value) { subject.places.push_back(place(value)); });
    line.call("ready", [&](const std::string &value) { subject.ready = number(value); });
    line.number("line", subject.first_cause);
    line.number("source", subject.first_source);
    line.flag("rv32imc", subject.rv32imc, true);
    line.call("ram", [&](const std::string &value) { board.memory.push_back(region(value)); });
    line.number("clint", board.clint);
    line.number("plic", board.plic);
    line.number("clic", subject.clic);
    line.number("uart", board.uart);
    line.call("uart-model", [&](const std::string &value) {
        board.model = value == "sifive"     ? rtl::UartModel::sifive
                      : value == "uartlite" ? rtl::UartModel::uartlite
                                            : rtl::UartModel::ns16550;
    });
    line.number("gpio", board.gpio);
    line.number("finisher", board.finisher);
    line.number("timer", board.timer_divisor);
    line.number("wait-least", board.wait_least);
    line.number("wait-most", board.wait_most);
    line.number("wait-seed", board.wait_seed);
    line.text("masked", options.masked);
    line.text("functions", subject.functions);
    line.text("interruptions", subject.interruptions);
    line.text("encounters", system.encounters);
    line.parse(argc, argv);
    subject.masked = !options.masked.empty();
    subject.encounters = system.encounters;
    if (options.bare && options.cycles == UINT64_MAX)
        twin::refuse("--bare wants --cycles");
    return options;
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
    twin::Ending ending;
    twin::Pty pty(ending.descriptor());
    std::optional<rtl::Program> foreign;
    std::unique_ptr<rtl::Subject> subject;
    rtl::Subject *of_program = nullptr;
    if (!options.program.empty()) {
        foreign.emplace(options.program, options.program_name);
        subject = std::make_unique<rtl::Subject>(options.subject, *foreign, options.symbols);
        of_program = subject.get();
        twin::set_post_mortem([of = subject.get()](std::ostream &out) { of->write_state(out); });
    }
    rtl::System system(options.system, memory, pty, ending.asked(), std::move(subject));
    twin::CsvFile masked("the masked map", options.masked, twin::MaskedMap::columns);
    std::ofstream stats;
    if (!options.stats.empty()) {
        stats.open(options.stats);
        if (!stats)
            twin::refuse("cannot write the statistics to " + options.stats);
    }
    ending.watch_parent();
    std::string ready = "{\"port\": " + twin::json_string(pty.port()) +
                        ", \"profile\": " + twin::json_string(options.core) +
                        ", \"firmware\": " + twin::json_string(options.elf) + "}\n";
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
    if (stats.is_open()) {
        system.write_stats(stats, wall.count(), processor);
        stats.close();
        if (!stats)
            twin::stop_engine("cannot write the statistics to " + options.stats);
    }
    system.end();
    if (of_program && masked.wanted())
        of_program->write_masked(masked);
    return 0;
}
