#include "boards/zynq7000/board.h"

#include "boards/zynq7000/address_map.h"
#include "boards/zynq7000/clocks.h"
#include "core/loader.h"
#include "core/stop.h"
#include "devices/external.h"
#include "generated/machines.h"
#include "shells/emio.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace twin::zynq7000 {

namespace {

namespace facts = machines::zynq7000;

// Where the devices are: UG585, appendix B.
constexpr std::uint64_t private_region = 0xF8F0'0000;
constexpr MpcorePlace mpcore_place{private_region, private_cycle};
constexpr GicPlace gic_place{private_region + 0x1000, private_region + Mpcore::interface_offset};
constexpr std::uint64_t l2 = 0xF8F0'2000, uart0 = 0xE000'0000, uart1 = 0xE000'1000,
                        gpio = 0xE000'A000;

constexpr unsigned uart0_id = 59;

// It never ends a foreign program; the firmware does not reach it.
constexpr std::uint64_t system_watchdog = 0xF800'5000;

// EMIO is banks 2 and 3; the PL's reset is not among them.
GpioPlace gpio_place(bool of_program) { return {gpio, 2, apb_cycle, std::nullopt, of_program}; }

// Which addresses go to the L2C-310's second port, after reset.
constexpr std::uint32_t filter_start = 0x4000'0001, filter_end = 0xFFF0'0000;

// Where the BootROM holds core 1 in WFE until an address is there: UG585, chapter 6.
constexpr std::uint64_t core_1_entry = 0xFFFF'FFF0;

// DDR above the first MB, and the OCM with all four blocks high. It is also at 0, as after reset,
// whatever a program writes to OCM_CFG.
std::vector<Memory::Part> memory_parts(const BoardOptions &options) {
    std::vector<Memory::Part> parts{
        {facts::ddr_base, facts::ddr_size},
        {facts::ocm_base, facts::ocm_size},
    };
    if (options.empty_pl)
        parts.push_back({0, facts::ocm_size, facts::ocm_base});
    const auto &ram = options.program.ram;
    parts.insert(parts.end(), ram.begin(), ram.end());
    return parts;
}

// The triple timer counters and their first interrupts: UG585, tables 7-4 and 8-1.
struct TtcFacts {
    const char *name;
    std::uint64_t base;
    unsigned id;
};
constexpr TtcFacts ttc_facts[] = {{"TTC0", 0xF800'1000, 42}, {"TTC1", 0xF800'2000, 69}};
constexpr unsigned ttc_width = 16;

} // namespace

Zynq7000::Told::Told(const BoardOptions &options) {
    // Its own manual (Arm 100486, table 3-6) says that the register shows the pins.
    gic_variants.ppisr = GicVariants::ppisr_pin;
    for (const auto &fault : options.faults)
        faults.set(fault);
    if (!options.variants.empty())
        refuse("zynq7000 has no variant " + options.variants.front());
    Constants constants(options.constants);
    profile = Profile::from(constants);
    if (options.model == "a9")
        a9 = a9::Parameters::from(constants, {cpu_cycle, facts::ocm_base});
    else if (options.model != "functional")
        refuse("unknown timing model " + options.model);
    constants.finish();
}

Zynq7000::Zynq7000(const BoardOptions &options, Pty &pty, const std::atomic<bool> &quit)
    : told_(options), memory_(memory_parts(options)), trace_(options.trace),
      markers_(options.markers),
      gic_(events_, gic_a9, gic_place, profile_, faults_, told_.gic_variants),
      mpcore_(events_, mpcore_place, gic_, profile_.gic_ps_input),
      l2_({l2, profile_.l2_path, profile_.l2_by_way, filter_start, filter_end}),
      uart_(events_, uart_place("UART1", uart1), faults_, told_.uart_variants,
            uart_wiring(facts::link_id, options, pty)),
      gateware_(std::make_unique<EmioShell>(
                    EmioShell::Identity{options.source_id, options.source_hash, options.tick_hz},
                    options.skipping),
                {faults_.period(pl_tick), faults_.pl_works() && !options.empty_pl},
                options.skipping, trace_, quit, gateware_wiring(options),
                options.places ? options.places : ExternalDevice::from(options.device)),
      emio_(faults_, gateware_, markers_),
      gpio_(gpio_place(options.empty_pl), profile_, faults_, emio_.wiring()),
      control_(profile_, faults_,
               {[this](Time time) {
                    if (!(faults_.dead_cores >> 1 & 1))
                        cores_[1]->release(0, time);
                },
                options.log}) {
    if (told_.a9) {
        timing_.emplace(*told_.a9, memory_);
        l2_effects_.emplace(timing_->memories);
        l2_.attach(*l2_effects_);
    }
    std::vector<Device *> devices{&gic_, &mpcore_, &l2_, &uart_, &gpio_, &control_};
    for (const auto &facts : ttc_facts) {
        ttcs_.push_back(std::make_unique<Ttc>(
            events_,
            TtcPlace{facts.name, facts.base, profile_.peripheral_path, apb_cycle, ttc_width},
            profile_.gic_ps_input, [this, id = facts.id](unsigned counter, bool level, Time time) {
                gic_.set_spi(id + counter, level, time);
            }));
        devices.push_back(ttcs_.back().get());
    }
    if (options.empty_pl) {
        mpcore_.start_global_timer();
        second_uart_.emplace(events_, uart_place("UART0", uart0), faults_, told_.uart_variants,
                             uart_wiring(uart0_id, options, pty));
        devices.push_back(&*second_uart_);
        register_files_.push_back(std::make_unique<RegisterFile>(
            system_watchdog, profile_.peripheral_path, "the system watchdog"));
        devices.push_back(register_files_.back().get());
    }
    for (auto base : options.program.gpio) {
        register_files_.push_back(std::make_unique<RegisterFile>(base, profile_.peripheral_path));
        devices.push_back(register_files_.back().get());
    }
    for (unsigned n = 0; n < facts::cores; ++n)
        add_core(n, devices);
    for (unsigned input = 0; input < PlFaults::lines; ++input)
        if (faults_.level_at(input, false))
            drive_interrupt(input, true, 0);
    auto program =
        load_elf(memory_, options.elf, options.elf_name, {EM_ARM, "the Zynq-7000 (zynq7000)"});
    for (const auto &binary : options.program.binaries)
        load_binary(memory_, binary.path, binary.address);
    entry_ = options.program.entry.value_or(program.entry);
    if (options.program.level)
        refuse("el: a Cortex-A9 has no exception levels");
    cores_[0]->begin_with(static_cast<std::uint32_t>(options.program.argument));
}

void Zynq7000::start(Time time) { cores_[0]->release(entry_, time); }

Gateware::Wiring Zynq7000::gateware_wiring(const BoardOptions &options) {
    return {[this, passed_on = options.passed_on](unsigned line, bool level, Time time) {
                if (passed_on && line < program_lines)
                    passed_on(line, level, time);
                else
                    drive_line(line, level, time);
            },
            [](unsigned, Time) {}}; // nothing is traced
}

void Zynq7000::drive_line(unsigned line, bool level, Time time) {
    unsigned input = faults_.input_of(line);
    Time seen = time + profile_.gic_pl_input;
    events_.post(seen, [this, input, level, seen] {
        drive_interrupt(input, faults_.level_at(input, level), seen);
    });
}

bool Zynq7000::masks_line(unsigned line) const { return gic_.masks(0, facts::shared_ids[line]); }

std::optional<unsigned> Zynq7000::line_for(unsigned core) const {
    auto found = std::ranges::find(facts::shared_ids, gic_.first(core));
    if (found == facts::shared_ids.end())
        return {};
    return static_cast<unsigned>(found - facts::shared_ids.begin());
}

std::string Zynq7000::about_line(unsigned line) const {
    return gic_.about(facts::shared_ids[line]);
}

// At 115200 baud, as ps7_init leaves it.
UartPlace Zynq7000::uart_place(const char *name, std::uint64_t base) const {
    return {
        name, base, profile_.peripheral_path, profile_.gic_ps_input, uart_ref_cycle, uart_ref_hz,
        0x3E, 6};
}

Uart::Wiring Zynq7000::uart_wiring(unsigned id, const BoardOptions &options, Pty &pty) {
    return {[this, id](bool level, Time time) { gic_.set_spi(id, level, time); },
            options.transmit ? options.transmit : [&pty](std::uint8_t byte) { pty.send(byte); },
            options.transmit ? std::function<unsigned()>() : [&pty] { return pty.host_baud(); },
            options.kept};
}

void Zynq7000::add_core(unsigned number, const std::vector<Device *> &devices) {
    auto core = std::make_unique<a32::Core>(number, memory_, events_, profile_, cpu_cycle, devices,
                                            timing_ ? timing_->core(number) : nullptr);
    auto *it = core.get();
    gic_.attach(number, {[it](bool level, Time time) { it->set_irq(level, time); },
                         [it](bool level, Time time) { it->set_fiq(level, time); }});
    coprocessors_.push_back(
        std::make_unique<a32::Coprocessor>(*it, static_cast<std::uint32_t>(private_region)));
    it->attach(*coprocessors_.back());
    it->attach_nowhere(
        [this](std::uint64_t address) { return about_nowhere(address, memory_.about()); });
    it->attach_event([this, number](Time time) { sent_event(number, time); });
    every_core_.push_back(it);
    cores_.push_back(std::move(core));
}

// SEV of one core: core 1 looks for its entry, as long as it is in the BootROM.
void Zynq7000::sent_event(unsigned core, Time time) {
    if (core != 0 || cores_[1]->state() != Core::State::reset || faults_.dead_cores >> 1 & 1)
        return;
    Time seen = time + profile_.event;
    events_.post(seen, [this, seen] {
        std::uint32_t entry;
        std::memcpy(&entry, memory_.at(core_1_entry, sizeof entry), sizeof entry);
        if (entry)
            cores_[1]->release(entry, seen);
    });
}

// The GIC's input that a line of the PL leads to on a board without faults.
void Zynq7000::drive_interrupt(unsigned input, bool level, Time time) {
    constexpr auto shared = facts::shared_ids.size();
    if (input < shared)
        gic_.set_spi(facts::shared_ids[input], level, time);
    else if (input - shared < facts::cores)
        gic_.set_ppi(static_cast<unsigned>(input - shared), facts::private_id, level, time);
}

LookAhead Zynq7000::look_ahead() const {
    return {profile_.gpio_path + profile_.gpio_access, profile_.gpio_access, profile_.gic_pl_input,
            profile_.quantum, pattern_period};
}

void Zynq7000::flush() {
    trace_.flush();
    markers_.flush();
}

void Zynq7000::write_stats(std::ostream &out, unsigned core) const {
    gic_.write_stats(out, core);
    if (const auto *timing = cores_[core]->timing()) {
        out << ", \"timing\": ";
        timing->write_stats(out);
    }
}

} // namespace twin::zynq7000
