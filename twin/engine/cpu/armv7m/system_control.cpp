#include "cpu/armv7m/system_control.h"

#include "core/stop.h"

#include <initializer_list>

namespace twin::armv7m {

namespace {

// Addresses: DDI 0403E, tables B3-4 to B3-8.
constexpr std::uint32_t trace_control = 0xE000'1000, cycle_count = 0xE000'1004;
constexpr std::uint32_t controller_type = 0xE000'E004, system_tick = 0xE000'E010;
constexpr std::uint32_t set_enable = 0xE000'E100, clear_enable = 0xE000'E180;
constexpr std::uint32_t set_pend = 0xE000'E200, clear_pend = 0xE000'E280;
constexpr std::uint32_t active_bits = 0xE000'E300, priorities = 0xE000'E400;
constexpr std::uint32_t cpuid = 0xE000'ED00, control_state = 0xE000'ED04,
                        vector_offset = 0xE000'ED08;
constexpr std::uint32_t reset_control = 0xE000'ED0C, sleep_control = 0xE000'ED10;
constexpr std::uint32_t configuration = 0xE000'ED14, handler_priorities = 0xE000'ED18;
constexpr std::uint32_t handler_control = 0xE000'ED24, configurable_status = 0xE000'ED28;
constexpr std::uint32_t hard_status = 0xE000'ED2C, memory_address = 0xE000'ED34;
constexpr std::uint32_t bus_address = 0xE000'ED38, coprocessor_access = 0xE000'ED88;
constexpr std::uint32_t protection_type = 0xE000'ED90, protection_control = 0xE000'ED94;
constexpr std::uint32_t debug_control = 0xE000'EDFC, software_trigger = 0xE000'EF00;
constexpr std::uint32_t floating_context = 0xE000'EF34, floating_address = 0xE000'EF38;
constexpr std::uint32_t floating_default = 0xE000'EF3C;

constexpr std::uint32_t cortex_m4_r0p1 = 0x410F'C241, key = 0x05FA, key_read = 0xFA05;
constexpr std::uint32_t trace_enabled = 1u << 24;

// What never changes: features of the core, and a MPU with 8 regions.
struct Fixed {
    std::uint32_t address, value;
};
constexpr Fixed fixed[] = {
    {cpuid, cortex_m4_r0p1},    {0xE000'ED40, 0x30},        {0xE000'ED44, 0x200},
    {0xE000'ED48, 0x0010'0000}, {0xE000'ED50, 0x0000'0030}, {0xE000'ED60, 0x0114'1110},
    {0xE000'ED64, 0x0211'2000}, {0xE000'ED68, 0x2123'2231}, {0xE000'ED6C, 0x0111'1131},
    {0xE000'ED70, 0x0131'0132}, {protection_type, 0x800},   {0xE000'EF40, 0x1011'0021},
    {0xE000'EF44, 0x1100'0011},
};

// SHCSR's active, pending and enabling bits, by their places.
struct HandlerBit {
    unsigned place, exception;
};
constexpr HandlerBit active_handlers[] = {{0, mem_manage}, {1, bus_fault},     {3, usage_fault},
                                          {7, sv_call},    {8, debug_monitor}, {10, pend_sv},
                                          {11, sys_tick}};
constexpr HandlerBit pending_handlers[] = {
    {12, usage_fault}, {13, mem_manage}, {14, bus_fault}, {15, sv_call}};

bool within(std::uint32_t address, std::uint32_t first, std::uint32_t bytes) {
    return address >= first && address < first + bytes;
}

} // namespace

SystemControl::SystemControl(Nvic &nvic, unsigned tick_reference, std::uint32_t vectors,
                             Wiring wiring)
    : tick(tick_reference,
           {wiring.cycle, wiring.call_at, [&nvic] { nvic.set_pending(sys_tick, true); }}),
      nvic_(nvic), wiring_(std::move(wiring)), vectors_(vectors) {}

bool SystemControl::fault_enabled(unsigned exception) const {
    return enabled_faults_ >> (16 + exception - mem_manage) & 1;
}

void SystemControl::reserve(std::uint32_t address) {
    floating_ |= 1;
    floating_address_ = address;
}

void SystemControl::set_fault(std::uint32_t configurable, std::uint32_t address) {
    configurable_ |= configurable;
    if (configurable & fault::bus_address_valid)
        bus_address_ = address;
}

// ICSR.
std::uint32_t SystemControl::state() const {
    unsigned executing = wiring_.executing();
    std::uint32_t value = executing;
    if (nvic_.nesting() == (executing ? 1u : 0u))
        value |= 1u << 11; // RETTOBASE
    bool interrupts = false;
    for (unsigned n = first_interrupt; n < nvic_.count(); ++n)
        interrupts = interrupts || nvic_.pending(n);
    value |= nvic_.first().value_or(0) << 12 | static_cast<std::uint32_t>(interrupts) << 22;
    value |= static_cast<std::uint32_t>(nvic_.pending(sys_tick)) << 26;
    value |= static_cast<std::uint32_t>(nvic_.pending(pend_sv)) << 28;
    value |= static_cast<std::uint32_t>(nvic_.pending(nmi)) << 31;
    return value;
}

void SystemControl::set_state(std::uint32_t value) {
    if (value >> 31 & 1)
        nvic_.set_pending(nmi, true);
    for (auto [place, exception] : {HandlerBit{28, pend_sv}, HandlerBit{26, sys_tick}}) {
        if (value >> place & 1)
            nvic_.set_pending(exception, true);
        else if (value >> (place - 1) & 1)
            nvic_.set_pending(exception, false);
    }
}

// SHCSR.
std::uint32_t SystemControl::handlers() const {
    std::uint32_t value = enabled_faults_;
    for (auto [place, exception] : active_handlers)
        value |= static_cast<std::uint32_t>(nvic_.active(exception)) << place;
    for (auto [place, exception] : pending_handlers)
        value |= static_cast<std::uint32_t>(nvic_.pending(exception)) << place;
    return value;
}

void SystemControl::set_handlers(std::uint32_t value) {
    enabled_faults_ = value & 0x0007'0000;
    for (auto [place, exception] : active_handlers)
        if (nvic_.active(exception) != (value >> place & 1))
            value >> place & 1 ? nvic_.activate(exception) : nvic_.deactivate(exception);
    for (auto [place, exception] : pending_handlers)
        nvic_.set_pending(exception, value >> place & 1);
}

std::uint32_t SystemControl::bits_of(std::uint32_t address,
                                     bool (Nvic::*what)(unsigned) const) const {
    unsigned first = first_interrupt + (address & 0x7C) * 8;
    std::uint32_t value = 0;
    for (unsigned n = 0; n < 32 && first + n < nvic_.count(); ++n)
        value |= static_cast<std::uint32_t>((nvic_.*what)(first + n)) << n;
    return value;
}

void SystemControl::set_bits(std::uint32_t address, std::uint32_t value,
                             void (Nvic::*set)(unsigned, bool), bool on) {
    unsigned first = first_interrupt + (address & 0x7C) * 8;
    for (unsigned n = 0; n < 32; ++n)
        if (value >> n & 1)
            (nvic_.*set)(first + n, on);
}

std::uint32_t SystemControl::load(std::uint32_t address) {
    for (const auto &each : fixed)
        if (each.address == address)
            return each.value;
    if (within(address, system_tick, 16))
        return tick.load((address - system_tick) / 4);
    if (within(address, set_enable, 0x40) || within(address, clear_enable, 0x40))
        return bits_of(address, &Nvic::enabled);
    if (within(address, set_pend, 0x40) || within(address, clear_pend, 0x40))
        return bits_of(address, &Nvic::pending);
    if (within(address, active_bits, 0x40))
        return bits_of(address, &Nvic::active);
    bool of_handlers = within(address, handler_priorities, 12);
    if (of_handlers || within(address, priorities, 240)) {
        unsigned first = of_handlers ? mem_manage + address - handler_priorities
                                     : first_interrupt + address - priorities;
        std::uint32_t value = 0;
        for (unsigned n = 0; n < 4 && first + n < nvic_.count(); ++n)
            value |= nvic_.priority(first + n) << 8 * n;
        return value;
    }
    switch (address) {
    case controller_type:
        return (nvic_.interrupts() - 1) / 32;
    case control_state:
        return state();
    case vector_offset:
        return vectors_;
    case reset_control:
        return key_read << 16 | nvic_.grouping() << 8;
    case sleep_control:
        return sleep_;
    case configuration:
        return configuration_;
    case handler_control:
        return handlers();
    case configurable_status:
        return configurable_;
    case hard_status:
        return hard_;
    case bus_address:
        return bus_address_;
    case memory_address:
        return memory_address_;
    case coprocessor_access:
        return access_;
    case floating_context:
        return floating_;
    case floating_address:
        return floating_address_;
    case floating_default:
        return floating_default_;
    case debug_control:
        return debug_;
    case trace_control:
        return trace_;
    case cycle_count:
        return trace_ & 1 && debug_ & trace_enabled
                   ? static_cast<std::uint32_t>(wiring_.awake_cycle() - counter_zero_)
                   : counter_;
    default:
        return kept_[address];
    }
}

void SystemControl::store(std::uint32_t address, std::uint32_t value) {
    if (within(address, system_tick, 16))
        return tick.store((address - system_tick) / 4, value);
    if (within(address, set_enable, 0x40))
        return set_bits(address, value, &Nvic::set_enabled, true);
    if (within(address, clear_enable, 0x40))
        return set_bits(address, value, &Nvic::set_enabled, false);
    if (within(address, set_pend, 0x40))
        return set_bits(address, value, &Nvic::set_pending, true);
    if (within(address, clear_pend, 0x40))
        return set_bits(address, value, &Nvic::set_pending, false);
    if (within(address, priorities, 240) || within(address, handler_priorities, 12)) {
        for (unsigned n = 0; n < 4; ++n)
            store_byte(address + n, static_cast<std::uint8_t>(value >> 8 * n));
        return;
    }
    // What counts is brought up to now before it changes.
    std::uint32_t counted = load(cycle_count);
    switch (address) {
    case control_state:
        return set_state(value);
    case vector_offset:
        vectors_ = value & ~0x7Fu;
        return;
    case reset_control:
        if (value >> 16 != key)
            return;
        nvic_.set_grouping(value >> 8 & 7);
        if (value >> 2 & 1)
            wiring_.reset();
        return;
    case sleep_control:
        sleep_ = value & 0x16;
        return;
    case configuration:
        configuration_ = value & 0x31B;
        return;
    case handler_control:
        return set_handlers(value);
    case configurable_status:
        configurable_ &= ~value;
        return;
    case hard_status:
        hard_ &= ~value;
        return;
    case bus_address:
        bus_address_ = value;
        return;
    case memory_address:
        memory_address_ = value;
        return;
    case coprocessor_access:
        access_ = value & 0x00F0'0000;
        return;
    case floating_context:
        floating_ = value & 0xC000'017B;
        return;
    case floating_address:
        floating_address_ = value & ~7u;
        return;
    case floating_default:
        floating_default_ = value & 0x07C0'0000;
        return;
    case software_trigger:
        return nvic_.set_pending(first_interrupt + (value & 0x1FF), true);
    case protection_control:
        if (value & 1)
            wiring_.note("the program enables the MPU, which protects nothing here");
        kept_[address] = value;
        return;
    case debug_control:
        debug_ = value;
        break;
    case trace_control:
        trace_ = (trace_ & 0xF0000000) | (value & 0x0FFF'FFFF);
        break;
    case cycle_count:
        counted = value;
        break;
    default:
        kept_[address] = value;
        return;
    }
    counter_ = counted;
    counter_zero_ = wiring_.awake_cycle() - counted;
}

void SystemControl::store_byte(std::uint32_t address, std::uint8_t value) {
    if (within(address, priorities, 240))
        return nvic_.set_priority(first_interrupt + address - priorities, value);
    if (within(address, handler_priorities, 12)) {
        unsigned exception = mem_manage + address - handler_priorities;
        bool has = exception <= usage_fault || exception == sv_call || exception == debug_monitor ||
                   exception == pend_sv || exception == sys_tick;
        if (has)
            nvic_.set_priority(exception, value);
        return;
    }
    unsigned place = 8 * (address & 3);
    std::uint32_t word = load(address & ~3u);
    store(address & ~3u, (word & ~(0xFFu << place)) | static_cast<std::uint32_t>(value) << place);
}

} // namespace twin::armv7m
