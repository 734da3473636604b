#include "machine.h"

#include "stop.h"

#include <algorithm>

namespace twin {

namespace {

constexpr unsigned uart0_interrupt = 53; // UG1085 table 13-1
constexpr unsigned pl_ps_irq0_first = 121;
constexpr unsigned pl_ps_irq1_first = 136;
constexpr unsigned legacy_ppi = 31;

// So many empty polls of the UART in a row are taken for waiting.
constexpr unsigned patient_polls = 100;

// A core that nothing else limits looks up this often, so that the process can be ended; and this
// often the reader of the pseudo-terminal gets what has been sent.
constexpr Time look_up = 6'000'000; // 1 ms

} // namespace

Machine::Machine(const Profile &profile, const Settings &settings, Pty &pty,
                 const std::atomic<bool> &quit)
    : profile_(profile), faults_(settings.faults), variants_(settings.variants), pty_(pty),
      quit_(quit), trace_(settings.trace), markers_(settings.markers),
      gic_(events_, profile, faults_, variants_),
      uart_(events_, profile, faults_, variants_,
            {[this](bool level, Time time) { gic_.set_spi(uart0_interrupt, level, time); },
             [this](std::uint8_t byte) { pty_.send(byte); }, [this] { return pty_.host_baud(); }}),
      pl_(
          profile, faults_, settings.identity, settings.skipping, trace_, quit,
          [this](unsigned line, bool level, Time time) {
              unsigned input = faults_.input_of(line);
              events_.post(time, [this, input, level, time] {
                  drive_interrupt(input, faults_.level_at(input, level), time);
              });
          },
          [this](unsigned line, Time time) {
              // Told when the cores surely are not past it; stamped when it was.
              Time stamped = time + profile_.stm_event;
              events_.post(std::max(stamped, time + profile_.gic_pl_input),
                           [this, line, stamped] { stm_.event(line, stamped); });
          }),
      gpio_(profile, faults_, pl_, markers_), counter_(profile),
      control_(
          events_, profile, faults_, variants_,
          [this](unsigned core, std::uint64_t entry, Time time) {
              if (!(faults_.dead_cores >> core & 1))
                  cores_[core]->release(entry, time);
          },
          [this](unsigned divisor, Time time) {
              for (auto &core : cores_)
                  core->set_cycle(divisor * cpu_cycle, time);
          }),
      timestamps_(profile, control_), funnel_(profile, control_), etf_(profile, control_, funnel_),
      stm_(profile, control_, faults_, timestamps_, etf_), ports_(profile, control_, stm_) {
    if (settings.a53)
        timing_ = std::make_unique<a53::Board>(*settings.a53, memory_);
    std::vector<Device *> devices{&gic_,        &uart_,   &gpio_, &counter_, &control_,
                                  &timestamps_, &funnel_, &etf_,  &stm_,     &ports_};
    for (unsigned n = 0; n < core_count; ++n) {
        auto core = std::make_unique<Core>(n, memory_, events_, profile, devices,
                                           timing_ ? timing_->core(n) : nullptr);
        auto *it = core.get();
        gic_.attach(n, {[it](bool level, Time time) { it->set_irq(level, time); },
                        [it](bool level, Time time) { it->set_fiq(level, time); }});
        auto ppi = [this, n](unsigned id, bool level, Time time) {
            Time seen = time + profile_.gic_ps_input;
            events_.post(seen, [this, n, id, level, seen] { gic_.set_ppi(n, id, level, seen); });
        };
        registers_.push_back(
            std::make_unique<SystemRegisters>(*it, events_, counter_, variants_, ppi));
        it->attach(*registers_.back());
        it->attach_power([this, n] { return control_.sleeps_for_good(n); });
        cores_.push_back(std::move(core));
    }
    events_.observe([this](Time time) {
        if (running_)
            running_->lower_horizon(time);
    });
    set_post_mortem([this](std::ostream &out) { dump(out); });
    for (unsigned input = 0; input < Faults::lines; ++input)
        if (faults_.level_at(input, false))
            drive_interrupt(input, true, 0);
    auto entry = memory_.load_elf(settings.elf);
    for (auto &core : cores_)
        core->trap_fp(memory_.code());
    cores_[0]->release(entry, 0);
}

void Machine::drive_interrupt(unsigned input, bool level, Time time) {
    if (input >= 16)
        gic_.set_ppi(input - 16, legacy_ppi, level, time);
    else if (input >= 8)
        gic_.set_spi(pl_ps_irq1_first + input - 8, level, time);
    else
        gic_.set_spi(pl_ps_irq0_first + input, level, time);
}

// The running core with the least time; ties by number.
Core *Machine::earliest(const Core *other_than) const {
    Core *found = nullptr;
    for (const auto &core : cores_)
        if (core.get() != other_than && core->state() == Core::State::running &&
            (!found || core->time() < found->time()))
            found = core.get();
    return found;
}

void Machine::run() {
    while (!quit_.load(std::memory_order_relaxed))
        step();
    trace_.flush();
    markers_.flush();
}

void Machine::step() {
    Core *core = earliest();
    Time core_time = core ? core->time() : never;
    // A core's store takes at least its path and the access to reach the pins, one that is
    // under way (an event) the access.
    Time known = std::min(later(core_time, profile_.gpio_path + profile_.gpio_access),
                          later(events_.next(), profile_.gpio_access));
    if (Time now = std::min(core_time, events_.next()); now >= next_flush_ && now != never) {
        pty_.flush();
        next_flush_ = now + look_up;
    }
    if (pl_.run_until(known))
        return; // an interrupt line changed: there is a new event
    if (events_.next() <= core_time) {
        if (events_.next() == never)
            link_point();
        else
            events_.run_next();
        return;
    }
    if (polls_for_ever(*core))
        link_point();
    else
        run_core(*core);
}

bool Machine::polls_for_ever(const Core &core) const {
    return uart_.empty_polls() >= patient_polls && events_.next() == never && pl_.idle() &&
           !earliest(&core);
}

void Machine::run_core(Core &core) {
    Core *second = earliest(&core);
    Time horizon = std::min(
        {events_.next(), later(pl_.next_output(), profile_.gic_pl_input), core.time() + look_up});
    if (second)
        horizon = std::min(horizon, second->time() + profile_.turn);
    running_ = &core;
    core.run(horizon, second == nullptr);
    running_ = nullptr;
}

Time Machine::now() const {
    Time latest = events_.now();
    for (const auto &core : cores_)
        latest = std::max(latest, core->time());
    return latest;
}

void Machine::link_point() {
    auto byte = pty_.wait_byte();
    if (!byte)
        return; // the engine ends
    wire_free_ = uart_.receive(*byte, align_up(std::max(now(), wire_free_), link_grid));
}

void Machine::write_stats(std::ostream &out, double wall_seconds) const {
    out << "{\"simulated_ns\": " << now() / 6 << ", \"wall_seconds\": " << wall_seconds
        << ", \"ticks_evaluated\": " << pl_.evaluated() << ", \"ticks_skipped\": "
        << pl_.tick_at(now()) - std::min(pl_.tick_at(now()), pl_.evaluated())
        << ", \"uart_sent_bytes\": " << uart_.bytes_sent()
        << ", \"uart_received_bytes\": " << uart_.bytes_received() << ", \"cores\": [";
    for (unsigned n = 0; n < core_count; ++n) {
        const auto &gic = gic_.statistics(n);
        out << (n ? ", " : "") << "{\"instructions\": " << cores_[n]->instructions()
            << ", \"asleep_ns\": " << cores_[n]->asleep_until(now()) / 6
            << ", \"stalled_ns\": " << cores_[n]->stalled() / 6 << ", \"waited\": " << gic.waited
            << ", \"pending_max\": " << gic.pending_max << ", \"set_pending\": " << gic.set_pending
            << ", \"interrupts\": {";
        const char *comma = "";
        for (unsigned id = 0; id < Gic::ids; ++id)
            if (gic.acknowledged[id]) {
                out << comma << '"' << id << "\": " << gic.acknowledged[id];
                comma = ", ";
            }
        out << "}";
        if (const auto *timing = cores_[n]->timing()) {
            out << ", \"timing\": ";
            timing->write_stats(out);
        }
        out << "}";
    }
    out << "]}\n";
}

void Machine::dump(std::ostream &out) {
    trace_.flush();
    pty_.flush();
    out << "twin time " << now() / 6 << " ns, tick " << pl_.tick() << "\n";
    for (const auto &core : cores_)
        core->dump(out);
}

} // namespace twin
