#include "system.h"

#include "core/stop.h"
#include "core_state.h"
#include "devices.h"

// The model and its class: those of the measured core, or of one that serves another (build.py).
#include CORE_HEADER

#include <algorithm>
#include <bit>
#include <cstring>

namespace rtl {

namespace {
constexpr unsigned reset_cycles = 8;
constexpr std::uint32_t start = 0x100000, start_behind = 0xFFF80;
// Bus marker, ID, EX.
enum Source : unsigned { bus = 0, execute = 1, decode = 2 };
// A firmware takes a byte within some hundred cycles of being woken, and no request takes it so
// long.
constexpr std::uint64_t timeouts = 4'000'000;
// The same of one that starts: the host hears nothing of it yet and is less patient.
constexpr std::uint64_t first_timeouts = 1'000'000;
constexpr std::uint64_t sign_of_work = 1 << 16; // cycles: a fraction of 0.1 s
// A core that has not fetched the program's first instruction by then will not.
constexpr std::uint64_t start_up = 10'000;
// A program that does not pass a place for so long is taken never to pass it.
constexpr std::uint64_t lost = 30'000'000;

// A core that saves registers itself, over a memory port of its own.
template <typename Core>
concept Saves = requires(Core &core) { core.save; };

// A core that does not show it is taken to listen when it sleeps.
template <typename Core> bool enables_uart(const Core &core) {
    if constexpr (requires { core.enabled; })
        return core.enabled >> uart_irq & 1;
    return true;
}

template <typename Core> bool set_saving(Core &core, std::uint32_t how) {
    if constexpr (Saves<Core>)
        core.saving = how & 3;
    return Saves<Core>;
}

// Comes before the access of the same cycle; the core sees to it that their words differ.
template <typename Core> void save(const Core &core, std::vector<std::uint8_t> &memory) {
    if constexpr (Saves<const Core>) {
        if (!core.save)
            return;
        std::uint32_t word = core.save_data;
        if (core.save_address > memory.size() - sizeof word)
            twin::stop_engine("registers are saved at " + twin::hex(core.save_address) +
                              ", where there is no memory; PC " + twin::hex(core.decode_pc));
        std::memcpy(memory.data() + core.save_address, &word, sizeof word);
    }
}
} // namespace

struct System::Core : CORE_MODEL {};

System::System(const Settings &settings, const std::vector<std::uint8_t> &memory, twin::Pty &pty,
               const std::atomic<bool> &quit, std::unique_ptr<Subject> subject)
    : settings_(settings), memory_(memory), pty_(pty), quit_(quit), trace_(settings.trace),
      markers_(settings.markers), encounters_(subject ? "" : settings.encounters),
      core_(std::make_unique<Core>()),
      instrument_(settings.source_id, settings.source_hash, settings.tick_hz),
      subject_(std::move(subject)) {
    // Some cores start 0x80 after an address of whole 256 bytes: a jump to the program is
    // there.
    const std::uint32_t jump[] = {0x001002B7, 0x00028067}; // lui t0, 0x100; jr t0
    std::memcpy(memory_.data() + start_behind, jump, sizeof jump);
    place_clic(*core_, clic_base);
    boot_at(*core_, start_behind);
    // A falling edge: some registers behind gated clocks are reset by nothing else.
    core_->rst_n = 1;
    core_->ready = 1;
    core_->eval();
    core_->rst_n = 0;
    for (unsigned i = 0; i < reset_cycles; ++i) {
        core_->clk = 0;
        core_->eval();
        core_->clk = 1;
        core_->eval();
    }
    core_->rst_n = 1;
    if (subject_)
        now_ = subject_->start();
}

System::~System() { core_->final(); }

void System::run(std::uint64_t cycles) {
    while (!quit_.load(std::memory_order_relaxed) && now_ < cycles)
        if (!pass())
            cycle();
}

void System::run_bare(std::uint64_t cycles) {
    auto &c = *core_;
    for (; now_ < cycles; ++now_, ++evaluated_) {
        c.clk = 0;
        c.eval();
        Instrument::Inputs none;
        bool fetched = c.fetch;
        std::uint32_t instruction = fetched ? fetch(c.fetch_address) : 0;
        Bus bus = c.access ? access(none) : Bus{};
        c.clk = 1;
        c.eval();
        c.fetch_valid = fetched;
        c.fetch_data = instruction;
        c.valid = bus.valid;
        c.read_data = bus.data;
    }
}

// By the number that the program has for them.
std::uint32_t System::inputs() const {
    std::uint32_t from_gateware = std::uint32_t{instrument_.irq()} << first_line_irq;
    if (subject_)
        from_gateware &= 1u << finished_irq;
    return raised_ | from_gateware | std::uint32_t{now_ >= compare_} << timer_irq |
           std::uint32_t{!received_.empty()} << uart_irq;
}

std::uint32_t System::irq() const {
    if (!settings_.shared_cause)
        return inputs();
    return std::uint32_t{(inputs() & shared_) != 0} << *settings_.shared_cause;
}

// Whether its UART can wake it.
bool System::listens() const {
    if (settings_.shared_cause)
        return shared_ >> uart_irq & 1;
    return enables_uart(*core_);
}

std::uint32_t System::lines() const {
    return instrument_.irq() & ((1u << (finished_irq - first_line_irq)) - 1);
}

bool System::sleeps() const { return sleep_.settled(irq()); }

// Passes the time in which nothing changes; false if something does, or if none is to be skipped.
bool System::pass() {
    if (!sleeps())
        return false;
    std::uint64_t next = std::max(instrument_.due(), now_);
    if (now_ < compare_)
        next = std::min(next, compare_);
    std::uint64_t due = instrument_.due();
    bool placed = lines() || listens() || (due != Instrument::never && due > now_);
    unplaced_ = !subject_ || placed ? 0 : unplaced_ + 1;
    if (next == Instrument::never && unplaced_ == 0) {
        // Also of a subject that is busy: else its time would be the host's.
        if (!received_.empty())
            twin::stop_engine("the core sleeps and does not take the byte that its UART has");
        auto byte = pty_.wait_byte();
        if (!byte)
            return quit_.load(std::memory_order_relaxed);
        received_.push_back(*byte);
        asked_ = false;
        return true;
    }
    if (unplaced_ > lost)
        subject_->stop("in " + std::to_string(lost) +
                       " cycles the program did not pass the place that starts the line");
    if (!settings_.skipping)
        return false;
    if (subject_) {
        if (!subject_->sleeps(now_, lines()))
            return false;
        next = std::min(next, std::max(subject_->due(now_), now_));
        if (next == Instrument::never)
            subject_->stop("the program sleeps, and does not pass the place that starts the line");
    }
    now_ = next;
    if (instrument_.due() <= now_) {
        instrument({});
        ++now_;
    }
    return true;
}

void System::instrument(const Instrument::Inputs &inputs) {
    answer_ = instrument_.cycle(now_, inputs);
    if (trace_.enabled()) {
        trace_.change(now_, "pulse_valid", inputs.valid);
        trace_.change(now_, "pulse_codes", inputs.codes);
        trace_.change(now_ + 1, "irq", instrument_.irq());
    }
}

// Now and then: the host has asked, nothing is armed, and the core neither sleeps nor has taken a
// byte since the last look. One that sleeps without its UART's interrupt waits for the program; a
// host whose patience ends first asks again, and that is no fault of the core.
void System::look_at_link() {
    bool asked = pty_.has_byte() || !received_.empty();
    if (asked && asked_ && instrument_.due() == Instrument::never)
        twin::stop_engine("the core does not take what its UART has; it is at PC " +
                          twin::hex(core_->decode_pc));
    asked_ = asked && !sleeps();
}

void System::cycle() {
    if (lived_ % sign_of_work == 0)
        pty_.at_work();
    if (lived_ % (heard_ ? timeouts : first_timeouts) == 0)
        look_at_link();
    ++lived_;
    Instrument::Inputs inputs = port_;
    if (subject_ && (!settings_.skipping || !subject_->sleeps(now_, lines())))
        subject_->cycle(now_, lines(), inputs);
    if (subject_ && settings_.skipping && sleeps()) {
        if (inputs.any() || now_ >= instrument_.due())
            instrument(inputs);
    } else {
        run_core(inputs);
    }
    ++now_;
}

// One cycle of the core, with the instrument between its edges.
void System::run_core(Instrument::Inputs &inputs) {
    auto &c = *core_;
    c.irq = irq();
    c.clk = 0;
    c.eval();
    ++evaluated_;
    executed_ += c.execute;
    sleep_.cycle(c.asleep, c.irq);

    bool fetched = c.fetch;
    std::uint32_t instruction = fetched ? fetch(c.fetch_address) : 0;
    save(c, memory_);
    Bus bus = c.access && c.ready ? access(inputs) : Bus{};
    watch(inputs);
    if (!begun_)
        look_at_start();
    if (encounters_.wanted())
        look_at_lines();
    if (inputs.any() || now_ >= instrument_.due() || !settings_.skipping)
        instrument(inputs);
    if (port_.strobe && answer_.acknowledged) {
        bus = {true, answer_.data};
        port_ = {};
    }
    c.clk = 1;
    c.eval();
    c.fetch_valid = fetched;
    c.fetch_data = instruction;
    c.valid = bus.valid;
    c.read_data = bus.data;
    c.ready = !port_.strobe;
}

// A shared cause masks each line that does not reach it, and is that of the largest one that does.
void System::look_at_lines() {
    constexpr unsigned count = finished_irq - first_line_irq;
    auto cause = settings_.shared_cause;
    auto look = encounter(*core_, now_, lines(), cause.value_or(first_line_irq), cause ? 1 : count,
                          [this](std::uint32_t pc) { return instruction_at(pc); });
    if (cause) {
        constexpr std::uint32_t all = (1u << count) - 1;
        std::uint32_t reaching = shared_ >> first_line_irq & all;
        look.masked = look.masked ? all : all & ~reaching;
        std::uint32_t high = inputs() & shared_;
        if (look.taken == 0u && high) {
            unsigned first = static_cast<unsigned>(std::bit_width(high)) - 1 - first_line_irq;
            look.taken = first < count ? first : Encounters::lines;
        }
    }
    encounters_.look(look);
}

// A core that begins elsewhere would run zeros, or an exception in a loop.
void System::look_at_start() {
    const auto &c = *core_;
    if (c.fetch) {
        first_fetch_ = first_fetch_.value_or(c.fetch_address);
        begun_ = (c.fetch_address & ~3u) == start;
    }
    if (begun_ || evaluated_ < start_up)
        return;
    std::string seen = first_fetch_ ? "first fetch " + twin::hex(*first_fetch_) + ", now PC " +
                                          twin::hex(c.execute_pc)
                                    : "it fetched nothing";
    twin::stop_engine("in " + std::to_string(start_up) +
                      " cycles the core did not get to the program's start at " + twin::hex(start) +
                      ": " + seen);
}

// Outside the memory there is nothing to fetch: the core meets with an instruction that is illegal.
std::uint32_t System::fetch(std::uint32_t address) const {
    address &= ~3u;
    std::uint32_t word = 0;
    if (address <= memory_.size() - sizeof word)
        std::memcpy(&word, memory_.data() + address, sizeof word);
    return word;
}

// Two bytes of a word, and two of the next one, where an instruction does not begin with the word.
std::uint32_t System::instruction_at(std::uint32_t pc) const {
    return pc & 2 ? fetch(pc) >> 16 | fetch(pc + 2) << 16 : fetch(pc);
}

void System::end() {
    encounters_.flush();
    if (subject_)
        subject_->end();
}

System::Bus System::access(Instrument::Inputs &inputs) {
    auto &c = *core_;
    std::uint32_t address = c.address & ~3u;
    if (address <= memory_.size() - 4) {
        std::uint8_t *at = memory_.data() + address;
        std::uint32_t word;
        std::memcpy(&word, at, sizeof word);
        if (c.write) {
            for (unsigned byte = 0; byte < 4; ++byte)
                if (c.bytes >> byte & 1)
                    at[byte] = static_cast<std::uint8_t>(c.write_data >> 8 * byte);
        }
        return {true, word};
    }
    if (c.bytes != 0xF)
        twin::stop_engine("an access of less than a word at " + twin::hex(c.address) +
                          ", where there is no memory; PC " + twin::hex(c.decode_pc));
    if (address >= devices_base) {
        if (!c.write)
            return {true, load(address - devices_base)};
        store(address - devices_base, c.write_data, inputs);
        return {true, 0};
    }
    if (address - port_base >= port_size)
        twin::stop_engine("there is nothing at " + twin::hex(c.address) + "; PC " +
                          twin::hex(c.decode_pc));
    // The request is a register's: the port sees it in the next cycle.
    port_.strobe = true;
    port_.write = c.write;
    port_.word = static_cast<std::uint16_t>((address - port_base) / 4);
    port_.data = c.write_data;
    return {};
}

void System::store(std::uint32_t offset, std::uint32_t value, Instrument::Inputs &inputs) {
    if (offset < marker_gate) {
        if (gate_)
            inputs.mark(bus, offset / 4 & 7);
        markers_.store(0, offset / 4 & 7, executed_);
        last_ = ((last_ & 8) ^ 8) | (offset / 4 & 7);
        return;
    }
    switch (offset) {
    case marker_gate:
        gate_ = value != 0;
        break;
    case raise:
        raised_ |= value;
        break;
    case lower:
        raised_ &= ~value;
        break;
    case shared:
        shared_ = value;
        break;
    case compare_low:
        compare_low_ = value;
        break;
    case compare_high:
        compare_ = std::uint64_t{value} << 32 | compare_low_;
        break;
    case uart_data:
        pty_.send(static_cast<std::uint8_t>(value));
        break;
    case saving:
        if (!set_saving(*core_, value))
            twin::stop_engine("this core does not save registers itself, which its program wants");
        break;
    default:
        twin::stop_engine("no device takes a store at " + twin::hex(devices_base + offset) +
                          "; PC " + twin::hex(core_->decode_pc));
    }
}

std::uint32_t System::load(std::uint32_t offset) {
    switch (offset) {
    case marker:
        return last_;
    case raise:
        return inputs();
    case shared:
        return inputs() & shared_;
    case time_low:
        time_high_ = static_cast<std::uint32_t>(now_ >> 32);
        return static_cast<std::uint32_t>(now_);
    case time_high:
        return time_high_;
    case uart_data: {
        if (received_.empty())
            return 1u << 31;
        std::uint8_t byte = received_.front();
        received_.pop_front();
        asked_ = false;
        heard_ = true;
        return byte;
    }
    default:
        twin::stop_engine("no device answers a load at " + twin::hex(devices_base + offset) +
                          "; PC " + twin::hex(core_->decode_pc));
    }
}

void System::watch(Instrument::Inputs &inputs) {
    const auto &c = *core_;
    if (!gate_)
        return;
    for (const auto &watched : settings_.watches) {
        if (c.decode && c.decode_pc == watched.pc)
            inputs.mark(decode, watched.code);
        if (c.execute && c.execute_pc == watched.pc)
            inputs.mark(execute, watched.code);
    }
}

void System::write_stats(std::ostream &out, double seconds, double cpu_seconds) const {
    out << "{\"cycles\": " << now_ << ", \"core_cycles\": " << evaluated_
        << ", \"subject_cycles\": " << (subject_ ? subject_->evaluated() : 0)
        << ", \"instrument_cycles\": " << instrument_.evaluated()
        << ", \"wall_seconds\": " << seconds << ", \"cpu_seconds\": " << cpu_seconds << "}\n";
}

} // namespace rtl
