#include "boards/zynqmp/board.h"

#include "boards/zynqmp/address_map.h"
#include "boards/zynqmp/clocks.h"
#include "core/loader.h"
#include "core/stop.h"
#include "devices/external.h"
#include "generated/machines.h"
#include "shells/emio.h"

#include <algorithm>
#include <elf.h>
#include <iterator>
#include <string>

namespace twin::zynqmp {

namespace {

namespace facts = machines::zynqmp;

// Where the devices are: UG1085, "System Addresses", and UG1087. GICC_DIR has a page of its own,
// for each page of the CPU interface fills 64 KB.
constexpr GicPlace gic_place{0xF901'0000, 0xF902'0000, 0xF903'0000};
// The UARTs at 115200 baud, as psu_init leaves them.
constexpr UartPlace uart_places[]{
    {"UART0", 0xFF00'0000, 0, 0, uart_ref_cycle, uart_ref_hz, 0x8F, 5},
    {"UART1", 0xFF01'0000, 0, 0, uart_ref_cycle, uart_ref_hz, 0x8F, 5},
};
constexpr std::uint64_t gpio = 0xFF0A'0000, iou_scntrs = 0xFF26'0000;
constexpr std::uint64_t tsgen = 0xFE90'0000, funnel_2 = 0xFE93'0000, etf_2 = 0xFE95'0000;
constexpr std::uint64_t stm = 0xFE9C'0000, stimulus_ports = 0xF800'0000;

// EMIO banks 3 and 4; bank 5 holds pl_resetn0, as psu_init leaves it.
GpioPlace gpio_place(bool of_program) { return {gpio, 3, apb_cycle, 5, of_program}; }

// CCI-400 (Arm DDI 0470): its identification, and what slave interfaces 3 and 4 support, to which
// coherent masters are attached. Memory is coherent here whether snoops are enabled or not.
constexpr std::uint64_t cci = 0xFD6E'0000;
constexpr unsigned cci_pages = 6;
const std::vector<std::pair<std::uint64_t, std::uint32_t>> cci_reset{
    {0xFD0, 0x44}, {0xFE0, 0x20}, {0xFE4, 0xB4}, {0xFE8, 0x8B},         {0xFF0, 0x0D},
    {0xFF4, 0xF0}, {0xFF8, 0x05}, {0xFFC, 0xB1}, {0x4000, 0xC000'0000}, {0x5000, 0xC000'0000},
};

// The generic timers' PPIs: UG1085 table 13-1.
unsigned ppi_of(a64::Timer timer) {
    switch (timer) {
    case a64::Timer::hypervisor:
        return 26;
    case a64::Timer::virtual_:
        return 27;
    case a64::Timer::secure:
        return facts::timer_tick_id;
    case a64::Timer::physical:
        break;
    }
    return 30;
}

// The low 2 GB of DDR, the OCM, and the rest of the ZCU102's 4 GB.
constexpr std::uint64_t high_ddr = 0x8'0000'0000, high_ddr_size = 0x8000'0000;

std::vector<Memory::Part> memory_parts(const ProgramOptions &program) {
    std::vector<Memory::Part> parts{
        {0, facts::ddr_base + facts::ddr_size},
        {facts::ocm_base, facts::ocm_size},
        {high_ddr, high_ddr_size},
    };
    parts.insert(parts.end(), program.ram.begin(), program.ram.end());
    return parts;
}

// The triple timer counters and their first interrupts: UG1085, tables 13-1 and 14-1.
constexpr std::uint64_t first_ttc = 0xFF11'0000;
constexpr const char *ttc_names[] = {"TTC0", "TTC1", "TTC2", "TTC3"};
constexpr unsigned first_ttc_id = 68, ttc_width = 32;

// Firmware below EL3 tells programs so.
constexpr std::uint64_t counter_hz = 99'990'005;

} // namespace

ZynqMp::Told::Told(const BoardOptions &options) {
    for (const auto &fault : options.faults)
        faults.set(fault);
    for (const auto &variant : options.variants)
        variants.set(variant);
    Constants constants(options.constants);
    profile = Profile::from(constants);
    if (options.model == "a53")
        a53 = a53::Parameters::from(constants, {cpu_cycle, facts::ocm_base});
    else if (options.model != "functional")
        refuse("unknown timing model " + options.model);
    constants.finish();
}

ZynqMp::ZynqMp(const BoardOptions &options, Pty &pty, const std::atomic<bool> &quit)
    : told_(options), link_(options.uart), memory_(memory_parts(options.program)),
      trace_(options.trace), markers_(options.markers),
      gic_(events_, gic_400, gic_place, profile_, faults_, variants_),
      uart_(events_, uart_place(link_), faults_, variants_, uart_wiring(link_, options, pty)),
      gateware_(std::make_unique<EmioShell>(
                    EmioShell::Identity{options.source_id, options.source_hash, options.tick_hz},
                    options.skipping),
                {faults_.period(pl_tick), faults_.pl_works() && !options.empty_pl},
                options.skipping, trace_, quit, gateware_wiring(options),
                options.places ? options.places : ExternalDevice::from(options.device)),
      emio_(faults_, gateware_, markers_),
      gpio_(gpio_place(options.empty_pl), profile_, faults_, emio_.wiring()),
      counter_("IOU_SCNTRS", iou_scntrs, profile_.peripheral_path, system_counter_cycle),
      control_(
          events_, profile_, faults_, variants_,
          [this](unsigned core, std::uint64_t entry, Time time) {
              if (!(faults_.dead_cores >> core & 1))
                  cores_[core]->release(entry, time);
          },
          [this](unsigned divisor, Time time) {
              for (auto &core : cores_)
                  core->set_cycle(divisor * cpu_cycle, time);
          }),
      ipi_(events_, profile_.peripheral_path),
      interconnect_(cci, profile_.peripheral_path, "CCI", cci_pages, cci_reset),
      debug_{profile_.peripheral_path, [this] { return control_.debug_runs(); }, "DBG_FPD_CTRL"},
      timestamps_(debug_, tsgen, timestamp_cycle), funnel_(debug_, funnel_2),
      etf_(debug_, etf_2, funnel_), stm_(debug_, stm, !faults_.stm_untraced, timestamps_, etf_),
      ports_(debug_, stimulus_ports, profile_.stm_path, stm_) {
    if (told_.a53)
        timing_.emplace(*told_.a53, memory_);
    std::vector<Device *> devices{&gic_,     &uart_, &gpio_,         &counter_,
                                  &control_, &ipi_,  &interconnect_, &timestamps_,
                                  &funnel_,  &etf_,  &stm_,          &ports_};
    add_timers();
    for (const auto &ttc : ttcs_)
        devices.push_back(ttc.get());
    if (options.empty_pl) {
        second_uart_.emplace(events_, uart_place(1 - link_), faults_, variants_,
                             uart_wiring(1 - link_, options, pty));
        devices.push_back(&*second_uart_);
    }
    for (auto base : options.program.gpio) {
        register_files_.push_back(std::make_unique<RegisterFile>(base, profile_.peripheral_path));
        devices.push_back(register_files_.back().get());
    }
    for (unsigned n = 0; n < facts::cores; ++n)
        add_core(n, devices);
    for (unsigned input = 0; input < Faults::lines; ++input)
        if (faults_.level_at(input, false))
            drive_interrupt(input, true, 0);
    auto program = load_elf(memory_, options.elf, options.elf_name,
                            {EM_AARCH64, "the Zynq UltraScale+ (zynqmp)"});
    for (auto &core : cores_)
        core->trap_fp(program.code);
    for (const auto &binary : options.program.binaries)
        load_binary(memory_, binary.path, binary.address);
    entry_ = options.program.entry.value_or(program.entry);
    begin(options.program);
    runs_ = !faults_.folds(program);
}

// The state in which core 0 finds itself and the system.
void ZynqMp::begin(const ProgramOptions &program) {
    unsigned level = program.level.value_or(3);
    if (level < 1 || level > 3)
        refuse("a program begins at EL1, EL2 or EL3, not at EL" + std::to_string(level));
    cores_[0]->begin_at({level, program.argument});
    if (level == 3)
        return;
    gic_.hand_over();
    counter_.enable(0);
    for (auto &registers : registers_)
        registers->set_frequency(counter_hz);
}

void ZynqMp::add_timers() {
    for (unsigned n = 0; n < std::size(ttc_names); ++n)
        ttcs_.push_back(std::make_unique<Ttc>(
            events_,
            TtcPlace{ttc_names[n], first_ttc + n * 0x1'0000, profile_.peripheral_path, apb_cycle,
                     ttc_width},
            profile_.gic_ps_input, [this, n](unsigned counter, bool level, Time time) {
                gic_.set_spi(first_ttc_id + n * Ttc::counters + counter, level, time);
            }));
}

// A core without a program does not run: its behaviour is not modelled.
void ZynqMp::start(Time time) {
    if (runs_)
        cores_[0]->release(entry_, time);
}

Gateware::Wiring ZynqMp::gateware_wiring(const BoardOptions &options) {
    return {[this, passed_on = options.passed_on](unsigned line, bool level, Time time) {
                if (passed_on && line < program_lines)
                    passed_on(line, level, time);
                else
                    drive_line(line, level, time);
            },
            [this](unsigned line, Time time) {
                // The STM is told once no core can be past the edge; its stamp is the time of the
                // edge.
                Time stamped = time + profile_.stm_event;
                events_.post(std::max(stamped, time + profile_.gic_pl_input),
                             [this, line, stamped] { stm_.event(line, stamped); });
            }};
}

UartPlace ZynqMp::uart_place(unsigned number) const {
    if (number >= std::size(uart_places))
        refuse("zynqmp has no UART" + std::to_string(number));
    UartPlace place = uart_places[number];
    place.path = profile_.peripheral_path;
    place.interrupt_delay = profile_.gic_ps_input;
    return place;
}

void ZynqMp::drive_line(unsigned line, bool level, Time time) {
    unsigned input = faults_.input_of(line);
    Time seen = time + profile_.gic_pl_input;
    events_.post(seen, [this, input, level, seen] {
        drive_interrupt(input, faults_.level_at(input, level), seen);
    });
}

bool ZynqMp::masks_line(unsigned line) const { return gic_.masks(0, facts::shared_ids[line]); }

std::optional<unsigned> ZynqMp::line_for(unsigned core) const {
    auto found = std::ranges::find(facts::shared_ids, gic_.first(core));
    if (found == facts::shared_ids.end())
        return {};
    return static_cast<unsigned>(found - facts::shared_ids.begin());
}

std::string ZynqMp::about_line(unsigned line) const { return gic_.about(facts::shared_ids[line]); }

Uart::Wiring ZynqMp::uart_wiring(unsigned number, const BoardOptions &options, Pty &pty) {
    unsigned id = facts::link_id + number; // UART1 is the next one
    return {[this, id](bool level, Time time) { gic_.set_spi(id, level, time); },
            options.transmit ? options.transmit : [&pty](std::uint8_t byte) { pty.send(byte); },
            options.transmit ? std::function<unsigned()>() : [&pty] { return pty.host_baud(); },
            options.kept};
}

void ZynqMp::add_core(unsigned number, const std::vector<Device *> &devices) {
    auto core = std::make_unique<a64::Core>(number, memory_, events_, profile_, cpu_cycle, devices,
                                            timing_ ? timing_->core(number) : nullptr);
    auto *it = core.get();
    gic_.attach(number, {[it](bool level, Time time) { it->set_irq(level, time); },
                         [it](bool level, Time time) { it->set_fiq(level, time); }});
    auto timer = [this, number](a64::Timer which, bool level, Time time) {
        Time seen = time + profile_.gic_ps_input;
        events_.post(seen, [this, number, id = ppi_of(which), level, seen] {
            gic_.set_ppi(number, id, level, seen);
        });
    };
    registers_.push_back(
        std::make_unique<a64::SystemRegisters>(*it, events_, counter_, variants_, timer));
    it->attach(*registers_.back());
    it->attach_nowhere(
        [this](std::uint64_t address) { return about_nowhere(address, memory_.about()); });
    it->attach_power([this, number] { return control_.sleeps_for_good(number); });
    every_core_.push_back(it);
    cores_.push_back(std::move(core));
}

// The GIC's input that a line of the PL leads to on a board without faults.
void ZynqMp::drive_interrupt(unsigned input, bool level, Time time) {
    constexpr auto shared = facts::shared_ids.size();
    if (input >= shared)
        gic_.set_ppi(static_cast<unsigned>(input - shared), facts::private_id, level, time);
    else
        gic_.set_spi(facts::shared_ids[input], level, time);
}

LookAhead ZynqMp::look_ahead() const {
    return {profile_.gpio_path + profile_.gpio_access, profile_.gpio_access, profile_.gic_pl_input,
            profile_.quantum, pattern_period};
}

void ZynqMp::flush() {
    trace_.flush();
    markers_.flush();
}

void ZynqMp::write_stats(std::ostream &out, unsigned core) const {
    gic_.write_stats(out, core);
    if (const auto *timing = cores_[core]->timing()) {
        out << ", \"timing\": ";
        timing->write_stats(out);
    }
}

} // namespace twin::zynqmp
