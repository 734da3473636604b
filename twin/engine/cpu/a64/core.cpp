#include "cpu/a64/core.h"

#include "core/stop.h"
#include "cpu/a64/memory_operand.h"
#include "cpu/a64/system_registers.h"

#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace twin::a64 {

namespace {

constexpr std::uint32_t op_branch_to_self = 0x14000000;
constexpr std::uint32_t op_wfi = 0xD503207F, op_eret = 0xD69F03E0;
constexpr std::uint32_t op_dsb = 0xD503309F; // but for its domain

// A vector of the core is a level, and an offset within a group of its table, Arm ARM D1.10.2.
constexpr unsigned level_shift = 12;
constexpr unsigned vector_sync = 0x000;
constexpr unsigned vector_irq = 0x080;
constexpr unsigned vector_fiq = 0x100;

// Exception numbers of UC_HOOK_INTR.
constexpr unsigned exception_undefined = 1;
constexpr unsigned exception_svc = 2;
constexpr unsigned exception_breakpoint = 7;
constexpr unsigned exception_hvc = 11;
constexpr unsigned exception_smc = 13;
constexpr unsigned exception_fp = 0x100; // not one of Unicorn's: see trap_fp

constexpr std::uint64_t cptr_tfp = 1 << 10;
constexpr std::uint64_t hcr_tge = 1u << 27, hcr_tsc = 1u << 19;

constexpr std::uint64_t hcr_el1_is_64_bits = 1u << 31;
// NS, RES1, HCE, RW: what firmware gives to a program below it.
constexpr std::uint64_t scr_handed_over = 0x531;
constexpr std::uint64_t cnthctl_el1_may = 3;

int name_of_general_register(unsigned index) {
    constexpr int last[] = {UC_ARM64_REG_X29, UC_ARM64_REG_X30, UC_ARM64_REG_SP};
    return index < 29 ? UC_ARM64_REG_X0 + static_cast<int>(index) : last[index - 29];
}

bool is_brk(std::uint32_t opcode) { return (opcode & 0xFFE0001F) == 0xD4200000; }

// Loads and stores of FP registers, FP and vector arithmetic (Arm DDI 0487, C4.1).
bool is_fp(std::uint32_t opcode) {
    bool memory = (opcode >> 25 & 5) == 4, arithmetic = (opcode >> 25 & 7) == 7;
    return (memory && opcode >> 26 & 1) || arithmetic;
}

} // namespace

// Unicorn's callbacks.
struct Hooks {
    static std::uint32_t mrs(uc_engine *uc, uc_arm64_reg to, const uc_arm64_cp_reg *name,
                             void *user) {
        auto *core = as_core(user);
        SystemRegister reg(name->op0, name->op1, name->crn, name->crm, name->op2);
        std::uint64_t value = 0;
        if (!core->registers_->read(reg, value))
            return 0; // Unicorn's own register
        uc_reg_write(uc, to, &value);
        return 1;
    }

    static std::uint32_t msr(uc_engine *uc, uc_arm64_reg from, const uc_arm64_cp_reg *name,
                             void *user) {
        auto *core = as_core(user);
        SystemRegister reg(name->op0, name->op1, name->crn, name->crm, name->op2);
        std::uint64_t value = 0;
        uc_reg_read(uc, from, &value);
        bool done = core->registers_->write(reg, value);
        core->regimes_ = {}; // the write comes after this
        if (core->timing_)
            core->timing_->write_register(reg, value);
        core->refresh_limit();
        return done;
    }

    static void code(uc_engine *, std::uint64_t address, std::uint32_t, void *user) {
        as_core(user)->step(address);
    }

    static Core *as_core(void *user) {
        return static_cast<Core *>(static_cast<UnicornCore *>(user));
    }
};

Core::Core(unsigned number, Memory &memory, EventQueue &events, const CoreTimes &times,
           Time nominal_cycle, const std::vector<Device *> &devices, std::unique_ptr<Timing> timing)
    : UnicornCore(number,
                  {UC_ARCH_ARM64, UC_MODE_ARM, UC_CPU_ARM64_A53, UC_ARM64_REG_PC,
                   reinterpret_cast<void *>(Hooks::code)},
                  memory, events, times, nominal_cycle, devices, std::move(timing)),
      timing_(static_cast<Timing *>(costs())) {
    if (timing_)
        timing_->attach_level([this] { return current_el(emulator()); });
    add_hook(UC_HOOK_INSN, reinterpret_cast<void *>(Hooks::mrs), 1, 0, UC_ARM64_INS_MRS);
    add_hook(UC_HOOK_INSN, reinterpret_cast<void *>(Hooks::msr), 1, 0, UC_ARM64_INS_MSR);
}

void Core::trap_fp(const std::vector<Region> &code) {
    for (const auto &region : code) {
        auto &known = code_.emplace_back(Code{region.base, std::vector<Word>(region.size / 4)});
        for (std::uint64_t word = 0; word < known.words.size(); ++word) {
            std::uint32_t opcode;
            std::memcpy(&opcode, region.bytes + 4 * word, sizeof opcode);
            known.words[word] = is_fp(opcode)       ? Word::uses_fp
                                : opcode == op_eret ? Word::returns
                                                    : Word::plain;
        }
    }
}

// Called for each instruction: a hook of its own for each that uses FP would be asked by all.
void Core::step(std::uint64_t address) {
    if (!next(address))
        return;
    for (const auto &code : code_) {
        std::uint64_t word = (address - code.base) / 4;
        if (word >= code.words.size() || code.words[word] == Word::plain)
            continue;
        if (code.words[word] == Word::returns)
            refuse_aarch32(address);
        else if (traps_fp()) {
            raise(exception_fp);
            return;
        }
    }
    if (timing_)
        continue_at(timing_->access());
}

// Before an ERET: Unicorn would go on in AArch32, where nothing of this core's is as it should be.
void Core::refuse_aarch32(std::uint64_t address) const {
    constexpr std::uint64_t m_aarch32 = 1 << 4;
    unsigned level = current_el(emulator());
    if (level && read_system_register(emulator(), spsr_of(level)) & m_aarch32)
        stop_engine("the program returns to AArch32, which is not modelled, PC " + where(address) +
                    ", core " + std::to_string(number()));
}

bool Core::traps_fp() const { return read_system_register(emulator(), cptr_el3) & cptr_tfp; }

void Core::reset_state() {
    write_pstate(emulator(), pstate_el3h_masked);
    if (current_el(emulator()) != 3)
        refuse("this CPU emulator does not enter EL3; unicorn 2.1.4 does");
    auto *uc = emulator();
    uc_reg_write(uc, UC_ARM64_REG_X0, &hand_over_.x0);
    if (hand_over_.level == 3)
        return;
    write_system_register(uc, scr_el3, scr_handed_over);
    write_system_register(uc, hcr_el2, hand_over_.level == 1 ? hcr_el1_is_64_bits : 0);
    write_system_register(uc, cnthctl_el2, cnthctl_el1_may);
    write_pstate(uc, pstate_masked | hand_over_.level << 2);
}

std::uint64_t Core::stack_pointer() const {
    std::uint64_t sp = 0;
    uc_reg_read(emulator(), UC_ARM64_REG_SP, &sp);
    return sp;
}

// Arm DDI 0487, C4.1.66: BL; BLR; RET; ERET.
Flow Core::flow_of(std::uint32_t opcode) const {
    if ((opcode & 0xFC000000) == 0x94000000 || (opcode & 0xFFFFFC1F) == 0xD63F0000)
        return Flow::call;
    if ((opcode & 0xFFFFFC1F) == 0xD65F0000)
        return Flow::back;
    return opcode == op_eret ? Flow::from_trap : Flow::on;
}

std::string Core::name_of(std::uint32_t opcode) const {
    if ((opcode & 0xFFC00000) == 0xD5000000) {
        SystemRegister reg(opcode >> 19 & 3, opcode >> 16 & 7, opcode >> 12 & 15, opcode >> 8 & 15,
                           opcode >> 5 & 7);
        if (reg.op0() >= 2)
            return (opcode >> 21 & 1 ? "mrs of " : "msr of ") + name_of_register(reg) + " at EL" +
                   std::to_string(current_el(emulator()));
    }
    constexpr const char *calls[] = {"", "svc", "hvc", "smc"};
    if ((opcode & 0xFFE0001C) == 0xD4000000 && opcode & 3)
        return std::string(calls[opcode & 3]) + " #" + std::to_string(opcode >> 5 & 0xFFFF);
    return UnicornCore::name_of(opcode);
}

bool Core::is_wfi(std::uint32_t opcode) const { return opcode == op_wfi; }

bool Core::is_branch_to_self(std::uint32_t opcode) const { return opcode == op_branch_to_self; }

bool Core::is_barrier(std::uint32_t opcode) const { return (opcode & 0xFFFFF0FF) == op_dsb; }

// F does not count: an interrupt that is signalled as FIQ is another input.
bool Core::masks_irq() const {
    std::uint64_t pstate = read_pstate(emulator());
    bool masked = pstate >> 7 & 1;
    unsigned level = pstate >> 2 & 3;
    return level == 3 ? masked : !taken_at(level, masked, irq_routing);
}

// The level that an interrupt input is taken at now, were it signalled; 0: it is not taken.
unsigned Core::taken_at(unsigned level, bool masked, const Routing &routing) const {
    if (masked && level == 3)
        return 0;
    // Last, because it takes long and a handler that has not yet read IAR comes here with each
    // instruction.
    std::uint64_t scr = read_system_register(emulator(), scr_el3);
    unsigned to = 1;
    if (scr >> routing.scr_bit & 1)
        to = 3;
    else if (scr & scr_ns && read_system_register(emulator(), hcr_el2) &
                                 (hcr_tge | std::uint64_t{1} << routing.hcr_bit))
        to = 2;
    return to > level || (to == level && !masked) ? to : 0;
}

// Level and offset of the vector that an interrupt would take now, or no_vector.
unsigned Core::takeable_vector() const {
    if (!irq() && !fiq())
        return no_vector;
    std::uint64_t pstate = read_pstate(emulator());
    unsigned level = pstate >> 2 & 3;
    auto target = [&](bool signalled, unsigned mask_bit, const Routing &routing) {
        return signalled ? taken_at(level, pstate >> mask_bit & 1, routing) : 0;
    };
    if (unsigned to = target(fiq(), 6, fiq_routing))
        return to << level_shift | vector_fiq;
    if (unsigned to = target(irq(), 7, irq_routing))
        return to << level_shift | vector_irq;
    return no_vector;
}

void Core::take(unsigned vector, std::uint64_t return_address) {
    unsigned to = vector >> level_shift;
    if (to > hand_over_.level)
        stop_engine("the program at EL" + std::to_string(hand_over_.level) +
                    " asks what is above it, and nothing is, PC " + where(pc()) + ", core " +
                    std::to_string(number()) + "; begin at EL" + std::to_string(to) +
                    " with firmware of its own");
    std::uint64_t pstate = read_pstate(emulator());
    bool same_level = (pstate >> 2 & 3) == to;
    bool from_32_bits = pstate >> 4 & 1;
    std::uint64_t group = !same_level ? (from_32_bits ? 0x600 : 0x400) : (pstate & 1 ? 0x200 : 0);
    write_system_register(emulator(), spsr_of(to), pstate);
    write_system_register(emulator(), elr_of(to), return_address);
    write_pstate(emulator(), pstate_masked | to << 2);
    write_pc(read_system_register(emulator(), vbar_of(to)) + group +
             (vector & ((1u << level_shift) - 1)));
}

// Where an exception goes that no register routes elsewhere.
unsigned Core::target_of_exception() const {
    unsigned level = current_el(emulator());
    if (level)
        return level;
    bool to_el2 = read_system_register(emulator(), scr_el3) & scr_ns &&
                  read_system_register(emulator(), hcr_el2) & hcr_tge;
    return to_el2 ? 2 : 1;
}

void Core::raise_to(unsigned level, std::uint32_t syndrome, std::uint64_t address,
                    std::uint64_t return_address, Cause cause) {
    write_system_register(emulator(), esr_of(level), syndrome);
    write_system_register(emulator(), far_of(level), address);
    enter(level << level_shift | vector_sync, return_address, cause);
}

void Core::handle_abort(Reach reach, std::uint64_t page, std::uint32_t status) {
    std::uint64_t pc = read_pc();
    unsigned to = target_of_exception();
    bool same_level = to == current_el(emulator());
    std::uint32_t syndrome = 1u << 25 | status; // IL: a 32-bit instruction
    if (reach == Reach::fetch)
        return raise_to(to, syndrome | (same_level ? 0x21u : 0x20u) << 26, pc, pc, Cause::fault);
    // Unicorn tells the page; the instruction has the address.
    constexpr std::uint64_t page_mask = 0xFFF;
    auto operand = memory_operand(opcode_at(pc));
    std::uint64_t address = page;
    if (operand.count) {
        address = operand.address(pc, [this](unsigned index) { return general_register(index); });
        if ((address & ~page_mask) != page)
            address = page; // what reaches beyond the first page
    }
    syndrome |= (same_level ? 0x25u : 0x24u) << 26 | (reach == Reach::store ? 1u << 6 : 0);
    raise_to(to, syndrome, address, pc, Cause::fault);
}

void Core::handle_exception(unsigned number) {
    std::uint64_t pc = read_pc();
    unsigned level = current_el(emulator());
    unsigned to = target_of_exception();
    std::uint32_t syndrome = 1u << 25; // IL: a 32-bit instruction
    auto class_is = [&syndrome](std::uint32_t value) { syndrome |= value << 26; };
    auto immediate = [this](std::uint64_t at) { return opcode_at(at) >> 5 & 0xFFFF; };
    auto cause = Cause::request;
    std::uint64_t scr = read_system_register(emulator(), scr_el3);
    switch (number) {
    case exception_undefined:
        if (emulate_system_instruction(pc)) {
            write_pc(pc + 4);
            return;
        }
        class_is(0x00);
        cause = Cause::fault;
        break;
    case exception_fp:
        class_is(0x07);
        syndrome |= 0x1Eu << 20; // CV, and COND of an instruction that has none
        to = 3;
        break;
    case exception_svc: // PC is after the instruction
        class_is(0x15);
        syndrome |= immediate(pc - 4);
        break;
    case exception_smc:
        class_is(0x17);
        syndrome |= immediate(pc - 4);
        to = level == 1 && scr & scr_ns && read_system_register(emulator(), hcr_el2) & hcr_tsc ? 2
                                                                                               : 3;
        break;
    case exception_hvc:
        class_is(0x16);
        syndrome |= immediate(pc - 4);
        to = level == 3 ? 3 : 2;
        break;
    case exception_breakpoint:
        if (!is_brk(opcode_at(pc)))
            goto unknown;
        class_is(0x3C);
        syndrome |= immediate(pc);
        cause = Cause::fault;
        break;
    default:
    unknown:
        stop_engine("exception " + std::to_string(number) + " is not modelled, PC " + where(pc) +
                    ", core " + std::to_string(this->number()));
    }
    raise_to(to, syndrome, 0, pc, cause);
}

Translation Core::translate(std::uint64_t address, Reach reach) const {
    unsigned level = current_el(emulator());
    const auto &registers = regime(std::max(level, 1u));
    if (!registers.on())
        return {.to = address & ~std::uint64_t{0xFFF}};
    return a64::translate(memory(), registers, address, reach, level == 0);
}

const Regime &Core::regime(unsigned level) const {
    auto &known = regimes_[level];
    if (!known)
        known = Regime::read(emulator(), level);
    return *known;
}

bool Core::is_secure() const {
    return current_el(emulator()) == 3 || !(read_system_register(emulator(), scr_el3) & scr_ns);
}

// Implementation-defined registers that Unicorn does not know arrive as undefined instructions.
bool Core::emulate_system_instruction(std::uint64_t address) {
    std::uint32_t opcode = opcode_at(address);
    if ((opcode & 0xFFD00000) != 0xD5100000 || current_el(emulator()) == 0)
        return false; // MRS, MSR (register) only
    SystemRegister reg(2 + (opcode >> 19 & 1), opcode >> 16 & 7, opcode >> 12 & 15,
                       opcode >> 8 & 15, opcode >> 5 & 7);
    unsigned index = opcode & 31;
    if (opcode >> 21 & 1) {
        std::uint64_t value = 0;
        if (!registers_->read_undefined(reg, value))
            return false;
        if (index != 31)
            uc_reg_write(emulator(), name_of_general_register(index), &value);
    } else {
        if (!registers_->write_undefined(reg, index != 31 ? general_register(index) : 0))
            return false;
    }
    return true;
}

std::uint64_t Core::general_register(unsigned index) const {
    std::uint64_t value = 0;
    uc_reg_read(emulator(), name_of_general_register(index), &value);
    return value;
}

void Core::dump_registers(std::ostream &out) const {
    auto *uc = emulator();
    unsigned level = std::max(current_el(uc), 1u);
    for (unsigned i = 0; i < 31; ++i) {
        out << "  x" << i << "=" << hex(general_register(i)) << (i % 4 == 3 || i == 30 ? "\n" : "");
    }
    out << "  sp=" << hex(general_register(MemoryOperand::sp))
        << "  pstate=" << hex(read_pstate(uc)) << "  elr_el" << level << "="
        << hex(read_system_register(uc, elr_of(level))) << "  esr_el" << level << "="
        << hex(read_system_register(uc, esr_of(level))) << "\n";
}

} // namespace twin::a64
