#include "boards/stm32f4/board.h"

#include "core/loader.h"
#include "core/stop.h"

#include <cstring>
#include <elf.h>

namespace twin::stm32f4 {

namespace {

constexpr Time longest_wait = 10'000'000 * per_ns; // 10 ms
constexpr unsigned fewest_polls = 100;
constexpr std::uint64_t hse_hz = 8'000'000;
constexpr std::uint32_t rcc_bdcr = 0x70;
constexpr const char *backup_closed = "DBP of PWR_CR is 0";
constexpr unsigned no_interrupt = 0xFFFF;
constexpr unsigned alarm_line = 17, wakeup_line = 22;      // of EXTI
constexpr unsigned rtc_pin = 2 * stm32::pins_of_port + 13; // PC13

// USART: RM0390, 25.6; PL011: Arm DDI 0183, 3; CMSDK's: Arm DDI 0479, 4.3.
constexpr std::uint32_t usart_status = 0xC0, usart_on = 1u << 13 | 1u << 3;
constexpr std::uint32_t pl011_flags_empty = 0x90;

std::vector<Memory::Part> parts_of(const Chip &chip) {
    std::vector<Memory::Part> found{chip.flash, chip.sram};
    found.insert(found.end(), chip.more.begin(), chip.more.end());
    return found;
}

} // namespace

Stm32f4::Told::Told(const BoardOptions &options) : chip(chip_named(options.chip)) {
    Constants constants(options.constants);
    timing = m4::Parameters::from(constants);
    constexpr ConstantKey<Times> keys[] = {
        {"clock.hsi_start", &Times::hsi_start},
        {"clock.hse_start", &Times::hse_start},
        {"clock.pll_lock", &Times::pll_lock},
        {"clock.lse_start", &Times::lse_start},
        {"clock.lsi_start", &Times::lsi_start},
        {"clock.regulator", &Times::regulator},
        {"pin.output", &Times::pin_output},
        {"pin.input", &Times::pin_input},
        {"pin.synchroniser", &Times::synchroniser},
        {"sleep.stop_wake", &Times::stop_wake},
        {"sleep.stop_regulator", &Times::stop_regulator},
        {"sleep.stop_flash", &Times::stop_flash},
        {"clock.lsi", &Times::lsi_hz},
    };
    take_members(constants, times, keys);
    constants.finish();
}

Stm32f4::Stm32f4(const BoardOptions &options)
    : told_(options), chip_(told_.chip), lines_(options.lines), transmit_(options.transmit),
      log_(options.log), unit_hz_(options.unit_hz), memory_(parts_of(chip_)),
      clocks_(told_.times, hse_hz, [this](Time time) { follow_clock(time); }),
      pins_(told_.times.pin_output,
            {[this](unsigned pin, bool level, Time at) { pin_observer_(pin, level, at); },
             [this](unsigned line, bool pending) { interrupt_of_exti(line, pending); },
             [this] {
                 core_->set_event(events_.now());
                 wake_by_exti();
             }}),
      rtc_(events_, unit_hz_,
           {[this](bool level) { pins_.set_source(alarm_line, level); },
            [this](bool level) { pins_.set_source(wakeup_line, level); },
            [this](bool level, Time at) {
                pin_observer_(rtc_pin, level, at + told_.times.pin_output);
            }}) {
    load_elf(memory_, options.elf, options.elf_name, {EM_ARM, chip_.title});
    check_vectors(options.elf_name);
    check_lines();
    auto model = std::make_unique<m4::Model>(told_.timing, layout());
    model_ = model.get();
    core_ = std::make_unique<armv7m::Core>(memory_, events_, armv7m::Clock(unit_hz_, chip_.hz),
                                           surroundings(options), std::move(model));
    every_core_.push_back(core_.get());
    beat_ = {[this](Time time) { return core_->cycle_at(time); },
             [this](std::uint64_t cycle) { return core_->time_of_cycle(cycle); },
             [this](const void *owner, std::uint64_t cycle, std::function<void()> action) {
                 core_->call_at(owner, cycle, std::move(action));
             },
             [this](const void *owner) { core_->forget(owner); }};
    for (const auto &it : chip_.peripherals)
        if (it.kind == Kind::timer)
            timers_[it.base] = std::make_unique<stm32::Timer>(
                it.number, beat_,
                stm32::Timer::Wiring{[this, &it] { return clocks_.timer_ratio(it.bus); },
                                     [this, &it](std::uint32_t flags) {
                                         std::uint32_t mine = 1u << (it.base >> 10 & 31);
                                         auto &asking = shared_[it.interrupt];
                                         asking = flags ? asking | mine : asking & ~mine;
                                         pend(it.interrupt, asking != 0);
                                     }});
    for (auto [address, value] : chip_.resets)
        kept_[address & ~3u] |= value << 8 * (address & 3);
}

// SP and PC come from there.
void Stm32f4::check_vectors(const std::string &elf) const {
    auto word = [this](std::uint64_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, memory_.at(at, sizeof value), sizeof value);
        return value;
    };
    std::uint64_t table = chip_.flash.base;
    std::uint32_t stack = word(table), reset = word(table + 4);
    std::string where =
        elf + ": no vector table is at " + hex(table) + ", where " + chip_.title + " begins: ";
    if (!stack && !reset)
        refuse(where + "nothing is there; link the table to that address");
    if (stack < chip_.sram.base || stack > chip_.sram.base + chip_.sram.size)
        refuse(where + "the stack pointer would be " + hex(stack) + ", outside of SRAM, " +
               hex(chip_.sram.base) + " to " + hex(chip_.sram.base + chip_.sram.size));
    if (!(reset & 1))
        refuse(where + "the reset handler " + hex(reset) +
               " has bit 0 clear, so it is no Thumb code");
}

void Stm32f4::check_lines() const {
    for (std::size_t line = 0; line < lines_.size(); ++line) {
        const LineTo &to = lines_[line];
        if (to.kind == LineTo::Kind::pin)
            check_pin(to.number);
        if (to.kind == LineTo::Kind::interrupt && to.number >= chip_.interrupts)
            refuse("irq = " + std::to_string(to.number) + " of line " + std::to_string(line) +
                   ": " + chip_.title + " has interrupts 0 to " +
                   std::to_string(chip_.interrupts - 1));
    }
}

void Stm32f4::check_pin(unsigned pin) const {
    std::string known;
    for (const auto &it : chip_.peripherals) {
        if (it.kind != Kind::gpio)
            continue;
        if (it.number == pin / stm32::pins_of_port)
            return;
        known += std::string(known.empty() ? "" : ", ") + it.name;
    }
    refuse("pin " + stm32::pin_name(pin) + ": " + chip_.title + " has " + known);
}

m4::Layout Stm32f4::layout() const {
    if (!chip_.is_stm32)
        return {};
    return {{{0, static_cast<std::uint32_t>(chip_.flash.size)},
             {static_cast<std::uint32_t>(chip_.flash.base),
              static_cast<std::uint32_t>(chip_.flash.size)}},
            {{{0x4000'0000, 0x1'0000}, 1}, {{0x4001'0000, 0x1'0000}, 1}}};
}

armv7m::Surroundings Stm32f4::surroundings(const BoardOptions &) {
    armv7m::Surroundings it;
    it.devices = chip_.devices;
    it.load = [this](std::uint32_t address, unsigned size, Time time) {
        return load(address, size, time);
    };
    it.store = [this](std::uint32_t address, unsigned size, std::uint32_t value, Time time) {
        return store(address, size, value, time);
    };
    it.stop_clocks = [this] { return stops(); };
    it.reset = [this] {
        stop_engine("the program asks for a reset, PC " + core_->where(core_->pc()));
    };
    it.note = [this](const std::string &text) { note(text); };
    if (chip_.flash_at_zero)
        it.aliases.push_back({0, chip_.flash.base, chip_.flash.size});
    it.vectors = chip_.vectors;
    it.interrupts = chip_.interrupts;
    it.priority_bits = chip_.priority_bits;
    it.tick_reference = chip_.tick_reference;
    it.has_fpu = chip_.has_fpu;
    return it;
}

void Stm32f4::note(const std::string &text) const {
    if (log_)
        log_(text);
}

void Stm32f4::start(Time time) { core_->start(time); }

// A line that is an interrupt has no way of its own; the least that time has is between them.
// No grid: its clocks and the instrument's share no edge soon enough for its time to stand still.
LookAhead Stm32f4::look_ahead() const { return {0, 0, 1, 1, 0}; }

// ---- lines ----

void Stm32f4::drive_line(unsigned line, bool level, Time time) {
    const LineTo &to = lines_[line];
    if (to.kind == LineTo::Kind::interrupt && level)
        events_.post(time + 1, [this, &to] {
            core_->nvic().set_pending(armv7m::first_interrupt + to.number, true);
        });
    if (to.kind != LineTo::Kind::pin)
        return;
    Time seen = time + told_.times.pin_input;
    events_.post(seen, [this, &to, line, level, seen] {
        if (stopped_) // no clock: the edge is seen at once
            return pins_.drive(to.number, level);
        std::uint64_t cycle = core_->cycle_at(seen) + told_.times.synchroniser;
        core_->call_at(&edges_[2 * line + level], cycle,
                       [this, &to, level] { pins_.drive(to.number, level); });
    });
}

// Of a line's pin or number.
unsigned Stm32f4::interrupt_of(unsigned line) const {
    const LineTo &to = lines_[line];
    if (to.kind == LineTo::Kind::interrupt)
        return to.number;
    unsigned pin = to.number % stm32::pins_of_port;
    return pin < 5 ? 6 + pin : pin < 10 ? 23 : 40;
}

bool Stm32f4::masks_line(unsigned line) const {
    const auto &nvic = core_->nvic();
    unsigned number = armv7m::first_interrupt + interrupt_of(line);
    auto masks = core_->masks();
    masks.primask = masks.faultmask = false; // those the core tells itself
    return !nvic.enabled(number) || nvic.group_priority(number) >= nvic.execution_priority(masks);
}

std::optional<unsigned> Stm32f4::line_for(unsigned) const {
    auto first = core_->nvic().first();
    for (unsigned line = 0; line < lines_.size(); ++line)
        if (first && lines_[line].kind != LineTo::Kind::none &&
            *first == armv7m::first_interrupt + interrupt_of(line))
            return line;
    return {};
}

std::string Stm32f4::about_line(unsigned line) const {
    const LineTo &to = lines_[line];
    if (!core_->first_hard_fault().empty())
        return "it is in its HardFault: " + core_->first_hard_fault();
    unsigned interrupt = interrupt_of(line), number = armv7m::first_interrupt + interrupt;
    std::string text = "interrupt " + std::to_string(interrupt);
    if (to.kind == LineTo::Kind::pin) {
        text = stm32::pin_name(to.number) + " leads to " + text;
        for (const auto &it : chip_.peripherals)
            if ((it.kind == Kind::syscfg ||
                 (it.kind == Kind::gpio && it.number == to.number / stm32::pins_of_port)) &&
                !clocked(it))
                return text + ": the clock of " + it.name + " is off";
        if (auto why = pins_.blocked(to.number); !why.empty())
            return text + ": " + why;
    }
    const auto &nvic = core_->nvic();
    text += nvic.enabled(number) ? " is enabled" : " is not enabled in the NVIC";
    text += nvic.pending(number) ? ", pending" : ", not pending";
    text += nvic.active(number) ? ", active" : ", not active";
    text += ", of priority " + hex(nvic.priority(number)) + "; BASEPRI is " +
            hex(core_->masks().basepri) + ", what executes has priority " +
            std::to_string(nvic.execution_priority(core_->masks()));
    if (stopped_)
        text += "; the clocks stand still in STOP, which EXTI alone ends";
    return text + polled();
}

void Stm32f4::pend(unsigned interrupt, bool level) {
    if (interrupt != no_interrupt)
        core_->nvic().set_level(armv7m::first_interrupt + interrupt, level);
}

// EXTI0 to 4 have an interrupt each, others share one; RTC's and others are apart.
void Stm32f4::interrupt_of_exti(unsigned line, bool pending) {
    if (exti_[line] == pending)
        return;
    exti_[line] = pending;
    auto any = [this](unsigned first, unsigned last) {
        bool found = false;
        for (unsigned n = first; n <= last; ++n)
            found = found || exti_[n];
        return found;
    };
    auto show = [this](unsigned interrupt, bool level) {
        pend(interrupt, level);
        wake_by_exti();
    };
    if (line < 5)
        show(6 + line, pending);
    else if (line < 10)
        show(23, any(5, 9));
    else if (line < 16)
        show(40, any(10, 15));
    else if (line == 17)
        show(41, pending);
    else if (line == 22)
        show(3, pending);
    else if (line == 21)
        show(2, pending);
}

// ---- registers ----

const Peripheral *Stm32f4::at(std::uint32_t address) const {
    for (const auto &it : chip_.peripherals)
        if (address - it.base < it.size)
            return &it;
    return nullptr;
}

bool Stm32f4::clocked(const Peripheral &it) const {
    return it.enable == 0xFF || clocks_.enabled(it.enable, it.bit);
}

std::string Stm32f4::register_name(const Peripheral *it, std::uint32_t address) const {
    return it ? std::string(it->name) + "+" + hex(address - it->base) + " (" + hex(address) + ")"
              : hex(address);
}

std::optional<std::uint32_t> Stm32f4::load(std::uint32_t address, unsigned size, Time time) {
    const Peripheral *it = at(address);
    std::uint32_t word = address & ~3u, value = 0;
    if (it && it->kind != Kind::kept) {
        if (it->kind == Kind::rtc && !rtc_.has_clock())
            watch_wait(register_name(it, address), "has no clock by RCC_BDCR", address, time);
        else
            polls_.clear();
        if (clocked(*it))
            value = load_word(*it, word - it->base, time);
    } else {
        value = load_kept(it, word, time);
    }
    if (address != polled_ || value != polled_value_) {
        polled_ = address;
        polled_value_ = value;
        polled_since_ = time;
    }
    value >>= 8 * (address & 3);
    return size == 4 ? value : value & ((1u << 8 * size) - 1);
}

bool Stm32f4::store(std::uint32_t address, unsigned size, std::uint32_t value, Time time) {
    const Peripheral *it = at(address);
    polls_.clear();
    polled_ = 0;
    if (it && !clocked(*it)) {
        note_lost(*it, address, std::string("the clock of ") + it->name + " is off");
        return true;
    }
    std::uint32_t word = address & ~3u;
    if (size < 4) {
        std::uint32_t mask = ((1u << 8 * size) - 1) << 8 * (address & 3);
        std::uint32_t before =
            it && it->kind != Kind::kept ? load_word(*it, word - it->base, time) : kept_[word];
        value = (before & ~mask) | (value << 8 * (address & 3) & mask);
    }
    if (it && it->kind != Kind::kept)
        store_word(*it, word - it->base, value, time);
    else
        kept_[word] = value;
    return true;
}

// Once for each reason and device.
void Stm32f4::note_lost(const Peripheral &it, std::uint32_t address, const std::string &why) {
    if (lost_.insert(it.name + why).second)
        note("a store to " + register_name(&it, address) + " is lost: " + why + ", PC " +
             core_->where(core_->pc()));
}

std::uint32_t Stm32f4::load_kept(const Peripheral *it, std::uint32_t address, Time time) {
    std::string name = register_name(it, address);
    if (named_.insert(address).second)
        note(name + " is read, which is not modelled: it keeps what is stored; PC " +
             core_->where(core_->pc()));
    watch_wait(name, "is not modelled", address, time);
    return kept_[address];
}

void Stm32f4::watch_wait(const std::string &name, const char *why, std::uint32_t address,
                         Time time) {
    Polls &polls = polls_.try_emplace(address, Polls{time}).first->second;
    if (++polls.count > fewest_polls && time > polls.since + longest_wait)
        stop_engine("the program waits for a bit of " + name + ", which " + why + ", PC " +
                    core_->where(core_->pc()));
}

std::string Stm32f4::polled() const {
    constexpr Time worth_telling = 1'000'000 * per_ns;
    if (!polled_ || core_->now() < polled_since_ + worth_telling)
        return "";
    return "; it polls " + register_name(at(polled_), polled_) + ", which has been " +
           hex(polled_value_) + " for " +
           std::to_string((core_->now() - polled_since_) / per_ns / 1'000'000) + " ms";
}

std::uint32_t Stm32f4::load_word(const Peripheral &it, std::uint32_t offset, Time time) {
    switch (it.kind) {
    case Kind::rcc:
        return clocks_.load_rcc(offset, time);
    case Kind::pwr:
        return clocks_.load_pwr(offset, time);
    case Kind::rtc:
        return rtc_.load(offset, time);
    case Kind::flash:
        return offset == 0      ? flash_control_
               : offset == 0x10 ? kept_[it.base + offset] | 1u << 31
                                : kept_[it.base + offset];
    case Kind::gpio:
        return pins_.load_port(it.number, offset);
    case Kind::syscfg:
        return pins_.load_syscfg(offset);
    case Kind::exti:
        return pins_.load_exti(offset);
    case Kind::timer:
        return timers_.at(it.base)->load(offset, time);
    case Kind::usart:
        return offset == 0 ? usart_status : offset == 4 ? 0 : kept_[it.base + offset];
    case Kind::pl011:
        return offset == 0x18 ? pl011_flags_empty : kept_[it.base + offset];
    case Kind::cmsdk_uart:
        return offset == 4 ? 0 : kept_[it.base + offset];
    case Kind::system_control:
        return offset == 0x50 ? 0x40 : kept_[it.base + offset]; // RIS: the PLL has locked
    default:
        return kept_[it.base + offset];
    }
}

void Stm32f4::store_word(const Peripheral &it, std::uint32_t offset, std::uint32_t value,
                         Time time) {
    switch (it.kind) {
    case Kind::rcc:
        if (offset == rcc_bdcr && !clocks_.opens_backup())
            return note_lost(it, it.base + offset, backup_closed);
        clocks_.store_rcc(offset, value, time);
        if (offset == rcc_bdcr && value >> 16 & 1)
            rtc_.reset(time);
        return follow_backup(time);
    case Kind::pwr:
        return clocks_.store_pwr(offset, value, time);
    case Kind::rtc:
        if (!clocks_.opens_backup())
            return note_lost(it, it.base + offset, backup_closed);
        if (const char *why = rtc_.store(offset, value, time))
            note_lost(it, it.base + offset, why);
        return;
    case Kind::flash:
        if (offset == 0)
            return set_flash(value);
        break;
    case Kind::gpio:
        return pins_.store_port(it.number, offset, value, time);
    case Kind::syscfg:
        return pins_.store_syscfg(offset, value);
    case Kind::exti:
        return pins_.store_exti(offset, value);
    case Kind::timer:
        return timers_.at(it.base)->store(offset, value, time);
    case Kind::usart:
        if (offset == 4 && (kept_[it.base + 0xC] & usart_on) == usart_on)
            transmit_(static_cast<std::uint8_t>(value));
        else if (offset == 4)
            note(std::string("a byte was sent to ") + it.name + ", whose transmitter is disabled");
        break;
    case Kind::pl011:
    case Kind::cmsdk_uart:
        if (offset == 0)
            transmit_(static_cast<std::uint8_t>(value));
        break;
    default:
        break;
    }
    kept_[it.base + offset] = value;
}

void Stm32f4::set_flash(std::uint32_t value) {
    flash_control_ = value & 0x1F0F;
    bool instructions = value >> 9 & 1, data = value >> 10 & 1;
    if (value >> 11 & 1 && !instructions)
        model_->flash().clear_instructions();
    if (value >> 12 & 1 && !data)
        model_->flash().clear_data();
    model_->flash().set({value & 15, (value >> 8 & 1) != 0, instructions, data});
}

// ---- clocks ----

void Stm32f4::follow_clock(Time time) {
    if (!core_)
        return;
    if (core_->hz() != clocks_.hz())
        core_->set_hz(clocks_.hz());
    for (std::size_t bus = 0; bus < 2; ++bus)
        model_->set_ratio(bus, clocks_.ratio(static_cast<unsigned>(bus)));
    for (auto &[base, timer] : timers_)
        timer->follow(time);
}

bool Stm32f4::stops() {
    if (!chip_.is_stm32)
        return false;
    if (!clocks_.stops_all())
        stop_engine("the program enters standby, from which only a reset leads, PC " +
                    core_->where(core_->pc()));
    stopped_ = true;
    rtc_.stop(core_->now());
    follow_backup(core_->now());
    return true;
}

// Ends STOP if the core wakes by what EXTI has shown it.
void Stm32f4::wake_by_exti() {
    if (!stopped_ || !core_->can_wake())
        return;
    stopped_ = false;
    Time at = events_.now() + told_.times.stop_wake;
    if (clocks_.stops_regulator())
        at += told_.times.stop_regulator;
    if (clocks_.stops_flash())
        at += told_.times.stop_flash;
    clocks_.stop(at);
    rtc_.wake(at);
    follow_backup(at);
    core_->wake_deeply(clocks_.hz(), at);
}

void Stm32f4::follow_backup(Time time) { rtc_.set_clock(clocks_.rtc_clock(stopped_), time); }

} // namespace twin::stm32f4
