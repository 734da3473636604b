#include "cpu/a32/core.h"

#include "core/stop.h"
#include "cpu/a32/coprocessor.h"

#include <unicorn/unicorn.h>

#include <cstring>
#include <string>

namespace twin::a32 {

namespace {

constexpr std::uint32_t op_branch_to_self = 0xEAFF'FFFE;
constexpr std::uint32_t op_wfi = 0xE320'F003;
constexpr std::uint32_t hint_yield = 0x0320'F001, hint_wfe = 0x0320'F002; // but for conditions
constexpr std::uint32_t hint_sev = 0x0320'F004;
constexpr std::uint32_t op_dsb = 0xF57FF040; // but for its domain

// Vectors, Arm ARM B1.8.1.
constexpr unsigned vector_undefined = 0x04, vector_svc = 0x08, vector_prefetch_abort = 0x0C;
constexpr unsigned vector_data_abort = 0x10, vector_irq = 0x18, vector_fiq = 0x1C;
constexpr unsigned vector_smc = 0x08; // of MVBAR

// Exception numbers of UC_HOOK_INTR.
constexpr unsigned exception_svc = 2;
constexpr unsigned exception_prefetch_abort = 3;
constexpr unsigned exception_data_abort = 4;
constexpr unsigned exception_smc = 13;
constexpr unsigned exception_undefined = 0x100; // not one of Unicorn's: it has a hook of its own

constexpr std::uint32_t sctlr_v = 1u << 13, sctlr_ee = 1u << 25, sctlr_te = 1u << 30;
constexpr std::uint32_t scr_irq = 1u << 1, scr_fiq = 1u << 2;

// MRC and MCR, MRRC and MCRR; hints.
bool is_special(std::uint32_t opcode) {
    return (opcode & 0x0F00'0010) == 0x0E00'0010 || (opcode & 0x0FE0'0000) == 0x0C40'0000 ||
           (opcode & 0x0FFF'FF00) == 0x0320'F000;
}

bool is_coprocessor_15(std::uint32_t opcode) { return (opcode & 0x0F00'0F10) == 0x0E00'0F10; }
bool is_pair_of_15(std::uint32_t opcode) { return (opcode & 0x0FE0'0F00) == 0x0C40'0F00; }

// Enters `mode` at `vector` as an exception does (Arm ARM DDI 0406, B1.8).
void take_to(uc_struct *uc, std::uint32_t mode, unsigned vector, std::uint32_t link) {
    std::uint32_t before = read_cpsr(uc);
    std::uint32_t control = read_coprocessor(uc, sctlr);
    std::uint32_t after = (before & ~(mode_mask | cpsr_it | cpsr_t | cpsr_e)) | mode | cpsr_i;
    if (mode != mode_svc && mode != mode_undefined)
        after |= cpsr_a;
    if (mode == mode_fiq || mode == mode_monitor)
        after |= cpsr_f;
    if (control & sctlr_te)
        after |= cpsr_t;
    if (control & sctlr_ee)
        after |= cpsr_e;
    write_cpsr(uc, after); // the banks of the new mode from here on
    uc_reg_write(uc, UC_ARM_REG_SPSR, &before);
    write_general(uc, 14, link);
    std::uint32_t base = mode == mode_monitor ? read_coprocessor(uc, mvbar)
                         : control & sctlr_v  ? 0xFFFF0000u
                                              : read_coprocessor(uc, vbar);
    std::uint32_t pc = base + vector;
    uc_reg_write(uc, UC_ARM_REG_PC, &pc);
}

} // namespace

// Unicorn's callbacks.
struct Hooks {
    static void code(uc_engine *, std::uint64_t address, std::uint32_t, void *user) {
        as_core(user)->step(address);
    }

    static void access(uc_engine *, uc_mem_type type, std::uint64_t address, int size, std::int64_t,
                       void *user) {
        auto *core = as_core(user);
        core->continue_at(
            core->timing_->access(address, static_cast<unsigned>(size), type == UC_MEM_WRITE));
    }

    static bool undefined(uc_engine *, void *user) {
        as_core(user)->raise(exception_undefined);
        return false;
    }

    static Core *as_core(void *user) {
        return static_cast<Core *>(static_cast<UnicornCore *>(user));
    }
};

Core::Core(unsigned number, Memory &memory, EventQueue &events, const CoreTimes &times,
           Time nominal_cycle, const std::vector<Device *> &devices, std::unique_ptr<Timing> timing)
    : UnicornCore(number,
                  {UC_ARCH_ARM, UC_MODE_ARM, UC_CPU_ARM_CORTEX_A9, UC_ARM_REG_PC,
                   reinterpret_cast<void *>(Hooks::code)},
                  memory, events, times, nominal_cycle, devices, std::move(timing)),
      memory_(memory.regions()), last_fetched_(memory_.data()),
      timing_(static_cast<Timing *>(costs())) {
    if (timing_)
        add_hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, reinterpret_cast<void *>(Hooks::access), 1,
                 0);
    add_hook(UC_HOOK_INSN_INVALID, reinterpret_cast<void *>(Hooks::undefined), 1, 0);
    write_coprocessor(emulator(), scr, 0); // before anything else: see the head of core.h
}

// The word that is at `address`, where translation maps flat, as it does everywhere here.
std::uint32_t Core::fetched(std::uint64_t address) {
    const auto *region = last_fetched_;
    if (address - region->base >= region->size) [[unlikely]] {
        region = nullptr;
        for (const auto &other : memory_)
            if (address - other.base < other.size)
                region = &other;
        if (!region)
            stop_engine("instruction outside the memory, PC " + where(address) + ", core " +
                        std::to_string(number()));
        last_fetched_ = region;
    }
    std::uint32_t opcode;
    std::memcpy(&opcode, region->bytes + (address - region->base), sizeof opcode);
    return opcode;
}

void Core::step(std::uint64_t address) {
    if (!next(address))
        return;
    std::uint32_t opcode = fetched(address);
    if (is_special(opcode)) [[unlikely]]
        special(address, opcode);
}

void Core::special(std::uint64_t address, std::uint32_t opcode) {
    bool executed = condition_holds(read_cpsr(emulator()), opcode >> 28);
    switch (opcode & 0x0FFF'FFFF) {
    case hint_sev:
        if (executed)
            event_(time());
        return;
    case hint_wfe: // wakes at once, which the architecture permits
    case hint_yield:
        return skip(address);
    default:
        break;
    }
    if (is_pair_of_15(opcode))
        stop_engine("MRRC and MCRR are not modelled, PC " + where(address) + ", core " +
                    std::to_string(number()));
    if (is_coprocessor_15(opcode) && executed)
        access_coprocessor(address, opcode);
}

void Core::access_coprocessor(std::uint64_t address, std::uint32_t opcode) {
    auto reg = CoprocessorRegister::of(opcode);
    unsigned index = opcode >> 12 & 15;
    if (opcode >> 20 & 1) {
        std::uint32_t value = 0;
        if (!coprocessor_->read(reg, value))
            return; // Unicorn's own register
        if (index == 15)
            stop_engine("MRC to the flags is not modelled, PC " + where(address));
        write_general(emulator(), index, value);
        return skip(address);
    }
    std::uint32_t value = read_general(emulator(), index);
    bool done = coprocessor_->write(reg, value);
    if (timing_)
        timing_->write_register(reg, value);
    refresh_limit();
    if (done)
        skip(address);
}

void Core::skip(std::uint64_t address) { write_pc(address + 4); }

void Core::reset_state() {
    write_cpsr(emulator(), mode_svc | cpsr_i | cpsr_f | cpsr_a);
    if (read_coprocessor(emulator(), scr) & 1)
        refuse("this CPU emulator does not enter the secure state; unicorn 2.1.4 does");
}

// Arm DDI 0406C, A5: BL, BLX; BX LR and what moves or loads PC like it; RFE, LDM with ^, and what
// moves to PC with S.
Flow Core::flow_of(std::uint32_t opcode) const {
    std::uint32_t rest = opcode & 0x0FFF'FFFF;
    if (opcode >> 28 == 0xF) {
        if ((rest & 0x0E00'0000) == 0x0A00'0000)
            return Flow::call;
        return (rest & 0x0E50'FFFF) == 0x0810'0A00 ? Flow::from_trap : Flow::on;
    }
    if ((rest & 0x0F00'0000) == 0x0B00'0000 || (rest & 0x0FFF'FFF0) == 0x012F'FF30)
        return Flow::call;
    if ((rest & 0x0E50'8000) == 0x0850'8000 || (rest & 0x0FFF'F000) == 0x025E'F000 ||
        rest == 0x01B0'F00E)
        return Flow::from_trap;
    bool pops = (rest & 0x0E1F'8000) == 0x081D'8000 || rest == 0x049D'F004;
    return pops || rest == 0x012F'FF1E || rest == 0x01A0'F00E ? Flow::back : Flow::on;
}

bool Core::is_wfi(std::uint32_t opcode) const { return opcode == op_wfi; }

bool Core::is_branch_to_self(std::uint32_t opcode) const { return opcode == op_branch_to_self; }

bool Core::is_barrier(std::uint32_t opcode) const { return (opcode & ~15u) == op_dsb; }

bool Core::masks_irq() const { return read_cpsr(emulator()) & cpsr_i; }

// The vector that an interrupt would take now, or no_vector.
unsigned Core::takeable_vector() const {
    if (!irq() && !fiq())
        return no_vector;
    std::uint32_t cpsr = read_cpsr(emulator());
    auto taken = [&](bool level, std::uint32_t mask, std::uint32_t to_monitor) {
        if (!level || cpsr & mask)
            return false;
        // Last, because it takes long and a handler that has not yet read IAR comes here with
        // each instruction.
        if (read_coprocessor(emulator(), scr) & to_monitor)
            stop_engine("an interrupt to monitor mode is not modelled, PC " + where(pc()) +
                        ", core " + std::to_string(number()));
        return true;
    };
    if (taken(fiq(), cpsr_f, scr_fiq))
        return vector_fiq;
    if (taken(irq(), cpsr_i, scr_irq))
        return vector_irq;
    return no_vector;
}

void Core::take(unsigned vector, std::uint64_t return_address) {
    if (read_cpsr(emulator()) & cpsr_t)
        stop_engine("Thumb is not modelled, PC " + where(return_address) + ", core " +
                    std::to_string(number()));
    auto pc = static_cast<std::uint32_t>(return_address);
    switch (vector) {
    case vector_fiq:
        return take_to(emulator(), mode_fiq, vector, pc + 4);
    case vector_irq:
        return take_to(emulator(), mode_irq, vector, pc + 4);
    case vector_undefined:
        return take_to(emulator(), mode_undefined, vector, pc + 4);
    case vector_prefetch_abort:
        return take_to(emulator(), mode_abort, vector, pc + 4);
    case vector_data_abort:
        return take_to(emulator(), mode_abort, vector, pc + 8);
    default: // SVC: PC is after the instruction
        return take_to(emulator(), mode_svc, vector, pc);
    }
}

void Core::handle_exception(unsigned number) {
    std::uint64_t pc = read_pc();
    switch (number) {
    case exception_undefined:
        return enter(vector_undefined, pc);
    case exception_svc:
        return enter(vector_svc, pc);
    case exception_smc:
        take_to(emulator(), mode_monitor, vector_smc, static_cast<std::uint32_t>(pc));
        return;
    case exception_prefetch_abort:
        write_coprocessor(emulator(), ifsr, 0);
        write_coprocessor(emulator(), ifar, static_cast<std::uint32_t>(pc));
        return enter(vector_prefetch_abort, pc);
    case exception_data_abort:
        // Unicorn tells neither address nor reason: both registers read 0.
        write_coprocessor(emulator(), dfsr, 0);
        write_coprocessor(emulator(), dfar, 0);
        return enter(vector_data_abort, pc);
    default:
        stop_engine("exception " + std::to_string(number) + " is not modelled, PC " + where(pc) +
                    ", core " + std::to_string(this->number()));
    }
}

std::uint64_t Core::general_register(unsigned index) const {
    return read_general(emulator(), index);
}

void Core::dump_registers(std::ostream &out) const {
    for (unsigned i = 0; i < 15; ++i)
        out << "  r" << i << "=" << hex(general_register(i)) << (i % 4 == 3 || i == 14 ? "\n" : "");
    out << "  cpsr=" << hex(read_cpsr(emulator()))
        << "  vbar=" << hex(read_coprocessor(emulator(), vbar)) << "\n";
}

} // namespace twin::a32
