#include "cpu/a64/system_registers.h"

#include "core/stop.h"

#include <string>

namespace twin::a64 {

namespace {

constexpr SystemRegister mpidr_el1{3, 0, 0, 0, 5};
constexpr SystemRegister cntfrq_el0{3, 3, 14, 0, 0};
constexpr SystemRegister cntpct_el0{3, 3, 14, 0, 1};
constexpr SystemRegister cntvoff_el2{3, 4, 14, 0, 3}; // also kept by Unicorn
constexpr SystemRegister isr_el1{3, 0, 12, 1, 0};
constexpr SystemRegister cpuactlr_el1{3, 1, 15, 2, 0};

constexpr std::uint64_t hcr_vm = 1, hcr_virtual = 0x1C0; // stage 2; VSE, VI, VF
constexpr std::uint64_t isr_fiq = 1u << 6, isr_irq = 1u << 7;

} // namespace

SystemRegisters::SystemRegisters(const UnicornCore &core, EventQueue &events, Count &counter,
                                 const Variants &variants,
                                 std::function<void(Timer, bool, Time)> output)
    : core_(core), counter_(counter), monitor_(core, variants.cycles_in_wfi),
      secure_timer_(events, counter,
                    [output](bool level, Time time) { output(Timer::secure, level, time); }),
      physical_timer_(events, counter,
                      [output](bool level, Time time) { output(Timer::physical, level, time); }),
      virtual_timer_(events, counter,
                     [output](bool level, Time time) { output(Timer::virtual_, level, time); }),
      hypervisor_timer_(events, counter, [output](bool level, Time time) {
          output(Timer::hypervisor, level, time);
      }) {
    if (core.number() == 0)
        stored_[cpuactlr_el1.key] = variants.cpuactlr_0;
    counter_.observe([this](Time now) {
        for (auto *timer : {&secure_timer_, &physical_timer_, &virtual_timer_, &hypervisor_timer_})
            timer->update(now);
    });
}

// The timers' registers differ in op1 and CRm, and those of one timer in op2.
GenericTimer *SystemRegisters::timer_of(SystemRegister reg) {
    if (reg.op0() != 3 || reg.crn() != 14 || reg.op2() > 2)
        return nullptr;
    if (reg.crm() == 3)
        return reg.op1() == 3 ? &virtual_timer_ : nullptr;
    if (reg.crm() != 2)
        return nullptr;
    switch (reg.op1()) {
    case 3:
        return &physical_timer_;
    case 4:
        return &hypervisor_timer_;
    case 7:
        return &secure_timer_;
    default:
        return nullptr;
    }
}

bool SystemRegisters::read(SystemRegister reg, std::uint64_t &value) {
    const auto *known = known_register(reg);
    if (!known)
        refuse_register(reg, "is not modelled");
    if (known->keeper == Keeper::emulator || !known->in_emulator)
        return false;
    value = read_here(*known);
    return true;
}

std::uint64_t SystemRegisters::read_here(const KnownRegister &known) {
    auto reg = known.reg;
    Time now = core_.issue_time();
    if (known.keeper == Keeper::constant)
        return known.reset;
    if (known.keeper == Keeper::store) {
        auto stored = stored_.find(reg.key);
        return stored == stored_.end() ? known.reset : stored->second;
    }
    if (const auto *timer = timer_of(reg))
        return timer->read(reg.op2(), now);
    if (PerformanceMonitor::has(reg)) {
        auto value = monitor_.read(reg);
        if (!value)
            refuse_register(reg, "has counted an event that is not modelled");
        return *value;
    }
    if (reg == mpidr_el1)
        return 0x8000'0000u | core_.number();
    if (reg == isr_el1)
        return (core_.fiq() ? isr_fiq : 0) | (core_.irq() ? isr_irq : 0);
    if (reg == cntfrq_el0)
        return counter_frequency_;
    return reg == cntpct_el0 ? counter_.count(now) : virtual_timer_.count(now);
}

bool SystemRegisters::write(SystemRegister reg, std::uint64_t value) {
    const auto *known = known_register(reg);
    if (!known)
        refuse_register(reg, "is not modelled");
    if (reg == cntvoff_el2)
        virtual_timer_.set_offset(value, core_.issue_time());
    if (reg == hcr_el2 && (value & hcr_virtual)) // it would hang the emulator
        refuse_register(reg, "makes a virtual interrupt pending, which is not modelled");
    if (reg == hcr_el2 && (value & hcr_vm))
        refuse_register(reg, "enables stage 2 of translation, which is not modelled");
    if (known->keeper == Keeper::emulator || known->keeper == Keeper::constant ||
        !known->in_emulator)
        return false;
    write_here(*known, value);
    return true;
}

void SystemRegisters::write_here(const KnownRegister &known, std::uint64_t value) {
    auto reg = known.reg;
    Time now = core_.issue_time();
    if (known.keeper == Keeper::constant)
        return;
    if (known.keeper == Keeper::store)
        stored_[reg.key] = value;
    else if (auto *timer = timer_of(reg))
        timer->write(reg.op2(), value, now);
    else if (PerformanceMonitor::has(reg))
        monitor_.write(reg, value);
    else if (reg == cntfrq_el0)
        counter_frequency_ = value & 0xFFFF'FFFF;
}

bool SystemRegisters::read_undefined(SystemRegister reg, std::uint64_t &value) {
    const auto *known = known_register(reg);
    if (!known || known->in_emulator)
        return false;
    value = read_here(*known);
    return true;
}

bool SystemRegisters::write_undefined(SystemRegister reg, std::uint64_t value) {
    const auto *known = known_register(reg);
    if (!known || known->in_emulator)
        return false;
    write_here(*known, value);
    return true;
}

void SystemRegisters::refuse_register(SystemRegister reg, const char *why) const {
    stop_engine("system register " + name_of_register(reg) + " " + why + ", PC " +
                core_.where(core_.pc()) + ", core " + std::to_string(core_.number()));
}

} // namespace twin::a64
