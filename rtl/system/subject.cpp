#include "subject.h"

#include "core/stop.h"
#include "core_state.h"
#include "devices.h"
#include "flow.h"
#include "lacking.h"

#include <Vcore.h>
#include <algorithm>
#include <iomanip>
#include <iostream>

namespace rtl {

namespace {
constexpr unsigned reset_cycles = 8;
// Cycles after which a program that says nothing of it, and does not sleep, is taken to be ready,
// and after which one that should get to a place is taken to be lost.
constexpr std::uint64_t while_starting = 1'000'000, lost = 30'000'000;
// Illegal instructions without a return from their trap.
constexpr unsigned hopeless = 1000;
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

template <typename Core> std::uint32_t register_of(Core &core, std::uint32_t number) {
    if constexpr (Shows<Core>) {
        core.register_number = number & 31;
        core.eval();
        return core.register_value;
    }
    return 0;
}

template <typename Core> std::uint32_t stack_pointer(Core &core) { return register_of(core, 2); }

template <typename Core> void write_registers(Core &core, std::ostream &out) {
    if constexpr (Shows<Core>) {
        for (unsigned number = 1; number < 32; ++number) {
            out << (number % 8 == 1 ? "program: " : "  ") << 'x' << number << ' '
                << twin::hex(register_of(core, number))
                << (number % 8 == 0 || number == 31 ? "\n" : "");
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
    boot_at(*core_, program.entry());
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
    unsigned source = settings_.first_source;
    std::uint32_t from_lines = source ? std::uint32_t{board_.plic().interrupts(lines << source)}
                                            << external_irq
                                      : lines << settings_.first_cause;
    return from_lines | std::uint32_t{board_.timer(now)} << timer_irq |
           std::uint32_t{board_.software()} << software_irq;
}

bool Subject::masks_line(unsigned line) const {
    if (unsigned source = settings_.first_source)
        return masks(*core_, external_irq) || board_.plic().masks(source + line);
    return masks(*core_, settings_.first_cause + line);
}

// The line that an interrupt of this cause is of, or one that is not there.
unsigned Subject::line_of(unsigned cause) const {
    if (!settings_.first_source)
        return cause - settings_.first_cause;
    return cause == external_irq ? board_.plic().first() - settings_.first_source
                                 : lines_of_program;
}

std::string Subject::interrupt_of_lines() const {
    if (unsigned source = settings_.first_source)
        return std::to_string(external_irq) + "; " + board_.plic().told(source);
    return std::to_string(settings_.first_cause);
}

std::uint64_t Subject::due(std::uint64_t now) const {
    return board_.timer(now) ? UINT64_MAX : board_.due();
}

void Subject::cycle(std::uint64_t now, std::uint32_t lines, Instrument::Inputs &inputs) {
    auto &c = *core_;
    count(now, lines);
    if (settings_.first_source)
        board_.plic().set(lines << settings_.first_source);
    c.irq = irq(now, lines);
    c.clk = 0;
    c.eval();
    ++evaluated_;
    sleep_.cycle(c.asleep, c.irq);
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
            stop("the program stores to " + twin::hex(address) + ", where there is nothing" +
                 hint());
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
            stop("the program loads from " + twin::hex(address) + ", where there is nothing" +
                 hint());
        data = *found;
    }
    access_ = {now + 1 + (settings_.board.wait_most ? board_.wait() : 0), data};
}

void Subject::watch(std::uint64_t now, Instrument::Inputs &inputs) {
    const auto &c = *core_;
    started_ = started_ || (c.decode && c.decode_pc == program_.entry());
    if (c.execute) {
        ready_ = ready_ || c.execute_pc == settings_.ready;
        executed_[executions_++ % kept] = c.execute_pc;
        functions_.executes(c.execute_pc, now);
    }
    if (c.decode && started_ && !board_.has_memory(c.decode_pc))
        stop("the program jumps to " + twin::hex(c.decode_pc) + ", where there is no memory" +
             hint());
    if (c.decode && started_)
        look_at_decode(c.decode_pc);
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
             " stimuli, of interrupt " + interrupt_of_lines() + "; " + interrupts(*core_) +
             board_.written() + hint());
}

// Two bytes of a word, and two of the next one, where an instruction does not begin with the word.
std::uint32_t Subject::code_at(std::uint32_t pc) {
    std::uint32_t word = board_.fetch(pc & ~3u);
    return pc & 2 ? word >> 16 | board_.fetch((pc & ~3u) + 4) << 16 : word;
}

// Notes what explains a later failure.
void Subject::look_at_decode(std::uint32_t pc) {
    std::uint32_t word = code_at(pc);
    constexpr std::uint32_t mret = 0x30200073;
    if (word == mret && has_vector_)
        illegals_ = 0;
    bool follows_jump = pc == decoded_.pc + ((decoded_.word & 3) == 3 ? 4 : 2);
    // A core that shows its mtvec decodes nothing that it does not execute.
    follows_jump = follows_jump && may_jump(decoded_.word) && !trap_vector(*core_);
    decoded_ = {pc, word};
    if (auto why = lacking(word); settings_.rv32imc && !why.empty() && !follows_jump) {
        // Zeros after another one are where its trap went.
        if (word || !illegal_)
            illegal_ = {pc, (word & 3) == 3 ? word : word & 0xFFFF, why};
        if (++illegals_ > hopeless)
            stop("the program traps again and again and never returns" + hint());
    }
    if (vector_wanted_) {
        std::uint32_t wanted = *vector_wanted_, is = trap_vector(*core_).value_or(wanted);
        vector_wanted_.reset();
        vector_refused_.clear();
        if (is != wanted) {
            vector_refused_ = "mtvec was written with " + twin::hex(wanted) + " and is " +
                              twin::hex(is) + (wanted & 3 ? "" : ": this core has no direct mode") +
                              ", so line 0 goes to " +
                              twin::hex((is & ~3u) + 4 * settings_.first_cause);
            std::cerr << "program: [" << vector_refused_ << "; PC " << symbols_.where(pc) << "]"
                      << std::endl;
        }
    }
    constexpr std::uint32_t csr_and_opcode = 0xFFF0007F, mtvec_access = 0x30500073;
    if ((word & csr_and_opcode) != mtvec_access)
        return;
    std::uint32_t how = word >> 12 & 7, source = word >> 15 & 31;
    has_vector_ = true;
    if ((how == 1 || how == 5) && trap_vector(*core_))
        vector_wanted_ = how == 5 ? source : register_of(*core_, source);
}

// What may explain that the program went astray; empty: nothing is known.
std::string Subject::hint() const {
    std::string text;
    if (illegal_)
        text += "; its last illegal instruction (mcause 2) was " + twin::hex(illegal_->word) +
                " at " + symbols_.where(illegal_->pc) + ", which " + illegal_->why +
                (has_vector_ ? "" : "; mtvec has not been written");
    if (!vector_refused_.empty())
        text += "; " + vector_refused_;
    return text;
}

void Subject::look_at_mask(std::uint64_t now) {
    bool executes = core_->execute;
    std::uint64_t before = executions_ - executes; // instructions that began in earlier cycles
    auto stack = [this] { return stack_pointer(*core_); };
    if (auto found = taken(*core_))
        calls_.traps(found->pc, stack);
    if (executes)
        calls_.executes(instruction(core_->execute_pc, code_at(core_->execute_pc)), stack);
    masked_.look({masks_line(0), executes, core_->execute_pc, before,
                  executed_[(before + kept - 1) % kept], now, awake_, rises_, ready_},
                 calls_);
}

void Subject::look_at_interrupt(std::uint64_t now) {
    if (auto found = taken(*core_); found && line_of(found->cause) < lines_of_program)
        interruptions_.add(now, line_of(found->cause), found->pc);
}

void Subject::look_at_lines(std::uint64_t now, std::uint32_t lines) {
    auto look = encounter(*core_, now, lines, settings_.first_cause, lines_of_program,
                          [this](std::uint32_t pc) { return code_at(pc); });
    if (settings_.first_source) {
        look.masked = 0;
        for (unsigned line = 0; line < lines_of_program; ++line)
            look.masked |= std::uint32_t{masks_line(line)} << line;
        if (auto found = taken(*core_))
            look.taken = std::min(line_of(found->cause), Encounters::lines);
    }
    encounters_.look(look);
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
