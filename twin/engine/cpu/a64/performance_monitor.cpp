#include "cpu/a64/performance_monitor.h"

namespace twin::a64 {

namespace {

constexpr SystemRegister pmcr_el0{3, 3, 9, 12, 0};
constexpr SystemRegister pmcntenset_el0{3, 3, 9, 12, 1};
constexpr SystemRegister pmcntenclr_el0{3, 3, 9, 12, 2};
constexpr SystemRegister pmswinc_el0{3, 3, 9, 12, 4};
constexpr SystemRegister pmselr_el0{3, 3, 9, 12, 5};
constexpr SystemRegister pmceid0_el0{3, 3, 9, 12, 6};
constexpr SystemRegister pmccntr_el0{3, 3, 9, 13, 0};
constexpr SystemRegister pmxevtyper_el0{3, 3, 9, 13, 1};
constexpr SystemRegister pmxevcntr_el0{3, 3, 9, 13, 2};
constexpr SystemRegister pmuserenr_el0{3, 3, 9, 14, 0};
constexpr SystemRegister pmintenset_el1{3, 0, 9, 14, 1};
constexpr SystemRegister pmintenclr_el1{3, 0, 9, 14, 2};
constexpr SystemRegister pmccfiltr_el0{3, 3, 14, 15, 7};

// PMCR_EL0 of an A53: implementer Arm, ID 3, six event counters. Bits: E 0, P 1, C 2, LC 6.
constexpr std::uint64_t pmcr_identity = 0x41'03'30'00;

// Which common events an A53 has: TRM DDI 0500, 12.4.
constexpr std::uint64_t common_events = 0x67FF'BFFF;

constexpr unsigned cycle_counter = 31; // its number in PMSELR
constexpr unsigned event_instructions = 0x08, event_cycles = 0x11;

// PMEVCNTR<n>, PMEVTYPER<n>.
bool is_numbered(SystemRegister reg, unsigned crm) {
    return reg.op0() == 3 && reg.op1() == 3 && reg.crn() == 14 && reg.crm() == crm &&
           reg.op2() < EventCounters::counters;
}
bool is_counter(SystemRegister reg) { return is_numbered(reg, 8); }
bool is_type(SystemRegister reg) { return is_numbered(reg, 12); }

} // namespace

PerformanceMonitor::PerformanceMonitor(const UnicornCore &core, bool in_wfi)
    : core_(core), in_wfi_(in_wfi), events_([this](unsigned event) -> std::optional<std::uint64_t> {
          if (event == 0)
              return 0; // incremented by software alone
          if (event == event_instructions)
              return core_.instructions();
          if (event == event_cycles)
              return cycles();
          return {};
      }) {}

bool PerformanceMonitor::has(SystemRegister reg) {
    return (reg.op0() == 3 && reg.crn() == 9 && reg.crm() >= 12 && reg.crm() <= 14 &&
            (reg.op1() == 3 || reg.op1() == 0)) ||
           is_counter(reg) || is_type(reg) || reg == pmccfiltr_el0;
}

std::uint64_t PerformanceMonitor::cycles() const {
    return in_wfi_ ? core_.nominal_cycles() : core_.active_cycles();
}

std::uint64_t PerformanceMonitor::count() const {
    std::uint64_t count = base_;
    if (runs())
        count += cycles() - since_;
    return control_ & 1u << 6 ? count : count & 0xFFFF'FFFF;
}

std::optional<std::uint64_t> PerformanceMonitor::read(SystemRegister reg) const {
    if (reg == pmccntr_el0)
        return count();
    if (reg == pmcr_el0)
        return pmcr_identity | control_;
    if (reg == pmcntenset_el0 || reg == pmcntenclr_el0)
        return enabled_;
    if (reg == pmintenset_el1 || reg == pmintenclr_el1)
        return interrupts_;
    if (reg == pmselr_el0)
        return select_;
    if (reg == pmuserenr_el0)
        return users_;
    if (reg == pmceid0_el0)
        return common_events;
    if (reg == pmccfiltr_el0 || (reg == pmxevtyper_el0 && selected() == cycle_counter))
        return filter_;
    if (reg == pmxevtyper_el0 || is_type(reg))
        return events_.type(is_type(reg) ? reg.op2() : selected());
    if (reg == pmxevcntr_el0 || is_counter(reg))
        return events_.value(is_counter(reg) ? reg.op2() : selected());
    return 0; // no overflow, no further common events
}

void PerformanceMonitor::write(SystemRegister reg, std::uint64_t value) {
    std::uint64_t counted = count();
    auto word = static_cast<std::uint32_t>(value);
    if (reg == pmcr_el0) {
        control_ = value & 0x79; // E, D, X, DP, LC are kept, D without effect; P and C read zero
        if (value & 1u << 2)
            counted = 0;
        if (value & 1u << 1)
            events_.clear();
    } else if (reg == pmcntenset_el0) {
        enabled_ |= word & (1u << 31 | EventCounters::every_counter);
    } else if (reg == pmcntenclr_el0) {
        enabled_ &= ~value;
    } else if (reg == pmintenset_el1) {
        interrupts_ |= word & (1u << 31 | EventCounters::every_counter);
    } else if (reg == pmintenclr_el1) {
        interrupts_ &= ~value;
    } else if (reg == pmccntr_el0) {
        counted = value;
    } else if (reg == pmselr_el0) {
        select_ = value & 0x1F;
    } else if (reg == pmuserenr_el0) {
        users_ = value & 0xF;
    } else if (reg == pmswinc_el0) {
        events_.increment(word);
    } else if (reg == pmccfiltr_el0 || (reg == pmxevtyper_el0 && selected() == cycle_counter)) {
        filter_ = value & 0x3Fu << 26;
    } else if (reg == pmxevtyper_el0 || is_type(reg)) {
        events_.set_type(is_type(reg) ? reg.op2() : selected(), word);
    } else if (reg == pmxevcntr_el0 || is_counter(reg)) {
        events_.set_value(is_counter(reg) ? reg.op2() : selected(), word);
    }
    base_ = counted;
    since_ = cycles();
    events_.run(control_ & 1 ? static_cast<std::uint32_t>(enabled_) & EventCounters::every_counter
                             : 0);
}

} // namespace twin::a64
