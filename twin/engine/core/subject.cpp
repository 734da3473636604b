#include "core/subject.h"

#include "core/stop.h"

#include <algorithm>
#include <iostream>
#include <sstream>

namespace twin {

namespace {

// Time after which a program that says nothing of it, and does not sleep, is taken to be ready, and
// after which one that should get to a place is taken to be lost: awake, and in all, since an
// oscillator may take seconds.
constexpr Time while_starting = 1'000'000 * per_ns, too_long = 50'000'000 * per_ns;
constexpr Time longest_start = 200 * too_long;
// Stimuli without an answer after which a program counts as not listening.
constexpr unsigned deaf = 16;
constexpr std::size_t longest_line = 200;

} // namespace

Subject::Subject(SubjectSettings settings)
    : settings_(std::move(settings)), symbols_(settings_.symbols),
      places_(std::make_shared<Places>(settings_.tick)), masked_(symbols_),
      functions_(settings_.functions, symbols_, settings_.tick),
      interruptions_(settings_.interruptions) {
    places_->attach([this](bool is, Time time) { armed(is, time); });
}

void Subject::join(BoardOptions &instrument, BoardOptions &program) {
    instrument.places = places_;
    instrument.passed_on = [this](unsigned number, bool level, Time time) {
        line(number, level, time);
    };
    program.elf = settings_.elf;
    program.elf_name = settings_.name;
    program.trace.clear();
    program.markers.clear();
    program.empty_pl = true;
    program.transmit = [this](std::uint8_t byte) { say(byte); };
    program.log = [](const std::string &text) { std::cerr << "program: [" << text << "]\n"; };
    program.kept = [](const char *uart, std::uint32_t control) {
        std::cerr << "program: [a byte was sent to " << uart
                  << " whose transmitter is disabled: its control register is " << hex(control)
                  << "]\n";
    };
}

void Subject::attach(ProgramBoard &board) {
    board_ = &board;
    line_path_ = board.look_ahead().line;
    board.observe_pins([this](unsigned pin, bool level, Time at) { drives(pin, level, at); });
    for (const Place &place : settings_.places)
        if (place.kind == Place::Kind::pin)
            board.check_pin(static_cast<unsigned>(place.address));
    auto stores = [](const Place &place) { return place.kind == Place::Kind::store; };
    bool any = std::any_of(settings_.places.begin(), settings_.places.end(), stores);
    for (Core *core : board.cores()) {
        core->attach_names([this](std::uint64_t address) { return symbols_.where(address); });
        core->observe(*this, any);
    }
}

bool Subject::lost(Time now) const {
    Time awake = now - std::min(now, board_->cores().front()->asleep_until(now));
    if (settings_.ready && (awake >= too_long || now >= longest_start))
        stop("in " + std::to_string(now / per_ns / 1'000'000) + " ms the program did not get to " +
             where_ready() + ", where it is ready" + board_->polled());
    return now >= while_starting && !settings_.ready;
}

// An interrupt ends a core's wait for operands, which takes `now` back.
void Subject::placed(bool waits, Time now) {
    bool has_placements = !settings_.interruptions.empty();
    if (!waits || !has_placements)
        waits_since_ = never;
    else if (waits_since_ == never)
        waits_since_ = now;
    else if (now > later(waits_since_, too_long))
        stop("in " + std::to_string(too_long / per_ns / 1'000'000) +
             " ms the program did not pass the place that starts the line");
}

void Subject::set_ready() {
    ready_ = true;
    runs_ = !stands_between_batches();
    stands_at_ = board_->events().next();
    for (const Core *core : board_->cores())
        if (core->state() == Core::State::running)
            stands_at_ = std::min(stands_at_, core->time());
    Time now = board_->events().now();
    for (const Core *core : board_->cores())
        now = std::max(now, core->time());
    stands_at_ = std::min(stands_at_, now);
}

// Where clocks share no grid with the instrument's, their phases would not stay as they are.
bool Subject::stands_between_batches() const { return board_->look_ahead().grid != 0; }

// The phases of all clocks to each other stay as they are.
void Subject::armed(bool is, Time time) {
    runs_ = is || !stands_between_batches();
    if (!is && stimuli_ && stimuli_ <= deaf && !answered_)
        std::cerr << "program: it answered none of " << stimuli_ << " stimuli; " << about_answers()
                  << std::endl;
    if (!stands_between_batches())
        return;
    if (is)
        shift_ = align_up(time - std::min(time, stands_at_), board_->look_ahead().grid);
    else
        stands_at_ = time - shift_;
}

std::string Subject::where_ready() const { return symbols_.where(*settings_.ready); }

void Subject::stop(const std::string &what) const {
    const Core &core = *board_->cores().front();
    std::uint64_t pc = executions_ ? executed_[(executions_ - 1) % kept] : 0;
    std::string text = what + "; PC " + core.where(pc);
    if (core.state() == Core::State::spin) {
        text += ", a branch to itself";
        auto first = executions_ - std::min<std::uint64_t>(executions_, kept);
        for (auto n = executions_; n > first; --n)
            if (std::uint64_t before = executed_[(n - 1) % kept]; before != pc) {
                text += ", after " + core.where(before);
                break;
            }
    }
    stop_engine(text);
}

// Zeros do nothing on a core that executes them; a program in them has lost its way.
void Subject::refuse_zeros(const Core &core, std::uint64_t pc) const {
    constexpr std::uint64_t run = 16;
    if (executions_ < kept)
        return;
    std::uint64_t length = pc - executed_[(executions_ - run) % kept];
    if (length != 2 * (run - 1) && length != 4 * (run - 1))
        return;
    std::uint64_t step = length / (run - 1), first = pc;
    for (std::uint64_t n = 0; n < run; ++n)
        if (!core.is_zero(pc - n * step))
            return;
    auto n = executions_ - 1;
    for (; n > executions_ - kept && executed_[(n - 1) % kept] == first - step; --n)
        first -= step;
    stop("the program runs through zeros, from " + core.where(first) + " on" +
         (n > executions_ - kept ? ", after " + core.where(executed_[(n - 1) % kept]) : ""));
}

void Subject::executes(Core &core, std::uint64_t pc, Time at) {
    if (core.number() == 0) {
        if (settings_.masked) {
            calls_.executes(core.instruction(pc), [&core] { return core.stack_pointer(); });
            look_at_mask(core, core.masks_irq() || board_->masks_line(0), pc, at);
        }
        executed_[executions_++ % kept] = pc;
        if (executions_ % 4 == 0)
            refuse_zeros(core, pc);
        functions_.executes(pc, at);
    }
    if (!ready_ && settings_.ready == pc) {
        ready_ = true;
        core.lower_horizon(at);
    }
    for (const auto &place : settings_.places)
        if (place.kind == Place::Kind::instruction && place.address == pc)
            pass(core, place, at);
}

// The core is unmasked, also where no instruction is executed between what unmasks and the vector.
void Subject::interrupts(Core &core, std::uint64_t pc, Time at) {
    if (core.number() == 0 && settings_.masked)
        look_at_mask(core, board_->masks_line(0), {}, at);
    if (!interruptions_.wanted())
        return;
    if (auto line = board_->line_for(core.number()))
        interruptions_.add(gateware_->tick_at(at + shift_), *line, pc);
}

void Subject::traps(Core &core, std::uint64_t to) {
    if (core.number() == 0 && settings_.masked)
        calls_.traps(to, [&core] { return core.stack_pointer(); });
}

void Subject::look_at_mask(const Core &core, bool masked, std::optional<std::uint64_t> pc,
                           Time at) {
    masked_.look({masked, pc.has_value(), pc.value_or(0), executions_,
                  executed_[(executions_ + kept - 1) % kept], at + shift_,
                  at - core.asleep_until(at), rises_, ready_},
                 calls_);
}

void Subject::write_masked(CsvFile &out) const {
    masked_.write(out, settings_.tick, [this](Time at) { return gateware_->tick_at(at); });
}

void Subject::stores(Core &core, std::uint64_t address, unsigned size, Time at) {
    for (const auto &place : settings_.places)
        if (place.kind == Place::Kind::store && address < place.address + place.size &&
            place.address < address + size)
            pass(core, place, at);
}

void Subject::drives(unsigned pin, bool level, Time at) {
    for (const auto &place : settings_.places)
        if (place.kind == Place::Kind::pin && place.address == pin && place.size == level)
            pass(*board_->cores().front(), place, at);
}

// It may take a line back, and that reach the core.
void Subject::pass(Core &core, const Place &place, Time at) {
    answered_ = true;
    functions_.passes(at);
    waits_since_ = never;
    if (!places_->pass(place.pin, at + shift_))
        stop("the program passes a place again within a tick of the instrument, in which it counts "
             "once; measure a place that is passed less often");
    core.lower_horizon(at + line_path_);
}

// A program that answers none of the first stimuli does not listen.
void Subject::line(unsigned number, bool level, Time time) {
    Time at = runs_ ? time - shift_ : stands_at_;
    board_->drive_line(number, level, at);
    if (level)
        waits_since_ = never;
    if (level && number == 0) {
        if (rises_++ == 0)
            masked_.forget(); // earlier ones belong to the instrument's calibration
        functions_.rises(at);
    }
    if (!level || stimuli_ > deaf)
        return;
    if (stimuli_ == 0)
        answered_ = false;
    if (++stimuli_ > deaf && !answered_)
        stop("the program answered none of the first " + std::to_string(deaf) + " stimuli; " +
             about_answers());
}

// What there is to know where it answers nothing, of line 0.
std::string Subject::about_answers() const {
    return board_->about_line(0) + "; interrupts of core 0 are " +
           (board_->cores().front()->masks_irq() ? "off" : "on");
}

void Subject::say(std::uint8_t byte) {
    if (byte != '\n' && byte != '\r' && line_.size() < longest_line) {
        line_ += byte >= ' ' && byte < 0x7F ? static_cast<char>(byte) : '.';
        return;
    }
    flush();
}

void Subject::flush() {
    if (!line_.empty())
        std::cerr << "program: " << line_ << std::endl;
    line_.clear();
}

void Subject::end() {
    flush();
    functions_.flush();
}

void Subject::write_state(std::ostream &out) const {
    std::ostringstream text;
    for (const Core *core : board_->cores())
        if (core->state() != Core::State::reset)
            core->dump(text);
    text << "its last instructions\n";
    for (std::uint64_t n = executions_ - std::min<std::uint64_t>(executions_, kept);
         n < executions_; ++n)
        text << "  " << symbols_.where(executed_[n % kept]) << "\n";
    std::istringstream lines(text.str());
    for (std::string each; std::getline(lines, each);)
        out << "program: " << each << "\n";
}

} // namespace twin
