#include "subject.h"

#include "core/stop.h"
#include "core_state.h"
#include "devices.h"
#include "flow.h"

#include <Vcore.h>
#include <algorithm>
#include <iomanip>

namespace rtl {

namespace {
constexpr unsigned reset_cycles = 8;
// Cycles after which a program that says nothing of it, and does not sleep, is taken to be ready,
// and after which one that should get to a place is taken to be lost.
constexpr std::uint64_t while_starting = 1'000'000, lost = 30'000'000;
// Stimuli after which a program that answered none is taken not to listen.
constexpr unsigned deaf = 16;
// Lines that reach it; the next one tells that a batch has ended.
constexpr unsigned lines_of_program = 7;

// Whether a store of these bytes of a word touches the place.
bool meets(const Place &place, std::uint32_t word, unsigned bytes) {
    for (unsigned byte = 0; byte < 4; ++byte)
        if (bytes >> byte & 1 && word + byte - place.address < place.size)
            return true;
    return false;
}

template <typename Core> std::string interrupts(const Core &core) {
    if constexpr (Shows<const Core>)
        return std::string("interrupts are ") + (core.interrupts_on ? "on" : "off") +
               ", enabled are " + twin::hex(core.enabled) + "; ";
    return "";
}

template <typename Core> std::uint32_t stack_pointer(Core &core) {
    if constexpr (Shows<Core>) {
        core.register_number = 2;
        core.eval();
        return core.register_value;
    }
    return 0;
}

template <typename Core> void write_registers(Core &core, std::ostream &out) {
    if constexpr (Shows<Core>) {
        for (unsigned number = 1; number < 32; ++number) {
            core.register_number = number & 31;
            core.eval();
            out << (number % 8 == 1 ? "program: " : "  ") << 'x' << number << ' '
                << twin::hex(core.register_value) << (number % 8 == 0 || number == 31 ? "\n" : "");
        }
    }
}
} // namespace

Subject::Subject(const SubjectSettings &settings, const Program &program,
                 const std::string &symbols)
    : settings_(settings), program_(program), symbols_(symbols), board_(settings.board, program),
      core_(std::make_unique<Vcore>()), masked_(symbols_),
      functions_(settings.functions, symbols_, 1), interruptions_(settings.interruptions),
      encounters_(settings.encounters) {
    if (settings.masked && !Shows<Vcore>)
        twin::refuse("this core does not show when its interrupts are off; leave masked out");
    if (interruptions_.wanted() && !ShowsTaken<Vcore>)
        twin::refuse("this core does not show where it was interrupted");
    place_clic(*core_, settings.clic);
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
}

Subject::~Subject() { core_->final(); }

std::uint64_t Subject::start() {
    std::uint64_t now = 0;
    Instrument::Inputs nobody;
    while (!ready_) {
        if (sleeps(now, 0)) {
            if (!settings_.ready)
                break;
            if (due(now) == UINT64_MAX)
                stop("the program sleeps before it is ready, and nothing wakes it");
            now = std::max(now, due(now));
        }
        if (!settings_.ready && now >= while_starting)
            break;
        if (now >= lost)
            stop("in " + std::to_string(lost) + " cycles the program did not get to " +
                 symbols_.where(*settings_.ready) + ", where it is ready");
        cycle(now++, 0, nobody);
        nobody = {};
    }
    ready_ = true;
    encounters_.forget_masks();
    return now;
}

std::uint32_t Subject::irq(std::uint64_t now, std::uint32_t lines) const {
    constexpr unsigned software_irq = 3;
    return lines << settings_.first_cause | std::uint32_t{board_.timer(now)} << timer_irq |
           std::uint32_t{board_.software()} << software_irq;
}

std::uint64_t Subject::due(std::uint64_t now) const {
    return board_.timer(now) ? UINT64_MAX : board_.due();
}

void Subject::cycle(std::uint64_t now, std::uint32_t lines, Instrument::Inputs &inputs) {
    auto &c = *core_;
    count(now, lines);
    seen_ = c.irq = irq(now, lines);
    c.clk = 0;
    c.eval();
    ++evaluated_;
    asleep_ = c.asleep ? asleep_ + 1 : 0;
    awake_ += !c.asleep;
    if (c.fetch) {
        std::uint64_t wait = settings_.board.wait_most ? board_.wait() : 0;
        fetched_at_ = std::max(now, fetched_at_) + 1 + wait;
        fetches_.push_back({fetched_at_, fetch(c.fetch_address)});
    }
    if (c.access && c.ready)
        access(now, inputs);
    watch(now, inputs);
    if (settings_.masked)
        look_at_mask(now);
    if (interruptions_.wanted())
        look_at_interrupt(now);
    if (encounters_.wanted())
        look_at_lines(now, lines);
    c.clk = 1;
    c.eval();
    c.fetch_valid = !fetches_.empty() && fetches_.front().at <= now + 1;
    if (c.fetch_valid) {
        c.fetch_data = fetches_.front().data;
        fetches_.pop_front();
    }
    c.valid = access_ && access_->at <= now + 1;
    if (c.valid) {
        c.read_data = access_->data;
        access_.reset();
    }
    c.ready = !access_;
}

// Each core begins where it likes. What it fetches there leads to the program.
std::uint32_t Subject::fetch(std::uint32_t address) {
    address &= ~3u;
    if (booting_ && address == (program_.entry() & ~3u))
        booting_ = false;
    if (!booting_)
        return board_.fetch(address);
    if (!boots_from_)
        boots_from_ = address;
    std::uint32_t entry = program_.entry(), low = entry & 0xFFF;
    switch (address - *boots_from_) {
    case 0:
        return ((entry + 0x800) & 0xFFFFF000) | 0x2B7; // lui t0, high
    case 4:
        return low << 20 | 0x28067; // jalr zero, low(t0)
    default:
        return 0x13; // nop
    }
}

void Subject::access(std::uint64_t now, Instrument::Inputs &inputs) {
    auto &c = *core_;
    std::uint32_t address = c.address, data = 0;
    if (c.write) {
        if (!board_.store(address, c.bytes, c.write_data))
            stop("the program stores to " + twin::hex(address) + ", where there is nothing");
        for (const auto &place : settings_.places)
            if (place.stage == Stage::store && meets(place, address & ~3u, c.bytes)) {
                mark(now, inputs, place);
                break; // one marker a cycle
            }
        if (auto code = board_.ended())
            stop("the program ended: it stored " + twin::hex(*code) + " to " + twin::hex(address));
    } else {
        auto found = board_.load(address, now);
        if (!found)
            stop("the program loads from " + twin::hex(address) + ", where there is nothing");
        data = *found;
    }
    access_ = {now + 1 + (settings_.board.wait_most ? board_.wait() : 0), data};
}

void Subject::watch(std::uint64_t now, Instrument::Inputs &inputs) {
    const auto &c = *core_;
    if (c.execute) {
        started_ = started_ || c.execute_pc == program_.entry();
        ready_ = ready_ || c.execute_pc == settings_.ready;
        executed_[executions_++ % kept] = c.execute_pc;
        functions_.executes(c.execute_pc, now);
    }
    if (c.decode && started_ && !board_.has_memory(c.decode_pc))
        stop("the program jumps to " + twin::hex(c.decode_pc) + ", where there is no memory");
    for (const auto &place : settings_.places)
        if ((place.stage == Stage::decode && c.decode && c.decode_pc == place.address) ||
            (place.stage == Stage::execute && c.execute && c.execute_pc == place.address))
            mark(now, inputs, place);
}

void Subject::mark(std::uint64_t now, Instrument::Inputs &inputs, const Place &place) {
    inputs.mark(static_cast<unsigned>(place.stage), place.code);
    answered_ = true;
    functions_.passes(now);
}

// A program that answers none of the first stimuli does not listen.
void Subject::count(std::uint64_t now, std::uint32_t lines) {
    bool rise = (lines & ~lines_) != 0;
    if (lines & ~lines_ & 1) {
        ++rises_;
        functions_.rises(now);
    }
    lines_ = lines;
    if (!rise || stimuli_ > deaf)
        return;
    if (stimuli_ == 0)
        answered_ = false;
    if (++stimuli_ > deaf && !answered_)
        stop("the program answered none of the first " + std::to_string(deaf) +
             " stimuli, of interrupt " + std::to_string(settings_.first_cause) + "; " +
             interrupts(*core_) + board_.written());
}

// Two bytes of a word, and two of the next one, where an instruction does not begin with the word.
std::uint32_t Subject::code_at(std::uint32_t pc) {
    std::uint32_t word = board_.fetch(pc & ~3u);
    return pc & 2 ? word >> 16 | board_.fetch((pc & ~3u) + 4) << 16 : word;
}

void Subject::look_at_mask(std::uint64_t now) {
    bool executes = core_->execute;
    std::uint64_t before = executions_ - executes; // instructions that began in earlier cycles
    auto stack = [this] { return stack_pointer(*core_); };
    if (auto found = taken(*core_))
        calls_.traps(found->pc, stack);
    if (executes)
        calls_.executes(instruction(core_->execute_pc, code_at(core_->execute_pc)), stack);
    masked_.look({masks(*core_, settings_.first_cause), executes, core_->execute_pc, before,
                  executed_[(before + kept - 1) % kept], now, awake_, rises_, ready_},
                 calls_);
}

void Subject::look_at_interrupt(std::uint64_t now) {
    if (auto found = taken(*core_);
        found && found->cause - settings_.first_cause < lines_of_program)
        interruptions_.add(now, found->cause - settings_.first_cause, found->pc);
}

void Subject::look_at_lines(std::uint64_t now, std::uint32_t lines) {
    encounters_.look(encounter(*core_, now, lines, settings_.first_cause, lines_of_program,
                               [this](std::uint32_t pc) { return code_at(pc); }));
}

void Subject::write_masked(twin::CsvFile &out) const {
    masked_.write(out, 1, [](std::uint64_t cycle) { return cycle; });
}

void Subject::stop(const std::string &what) {
    board_.flush();
    twin::stop_engine(what + "; PC " + symbols_.where(core_->execute_pc));
}

void Subject::write_state(std::ostream &out) {
    write_registers(*core_, out);
    out << "program: its last instructions\n";
    for (std::uint64_t n = executions_ - std::min<std::uint64_t>(executions_, kept);
         n < executions_; ++n)
        out << "program:   " << symbols_.where(executed_[n % kept]) << "\n";
}

} // namespace rtl
