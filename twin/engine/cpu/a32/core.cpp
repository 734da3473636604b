#include "cpu/a32/core.h"

#include "core/stop.h"
#include "cpu/a32/coprocessor.h"
#include "cpu/thumb.h"

#include <unicorn/unicorn.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace twin::a32 {

namespace {

constexpr std::uint32_t op_branch_to_self = 0xEAFF'FFFE;
constexpr std::uint32_t op_wfi = 0xE320'F003;
constexpr std::uint32_t op_hint = 0x0320'F000; // but for its condition and number
constexpr unsigned hint_yield = 1, hint_wfe = 2, hint_sev = 4;
constexpr std::uint32_t op_dsb = 0xF57FF040; // but for its domain

// Vectors, Arm ARM B1.8.1.
constexpr unsigned vector_undefined = 0x04, vector_svc = 0x08, vector_prefetch_abort = 0x0C;
constexpr unsigned vector_data_abort = 0x10, vector_irq = 0x18, vector_fiq = 0x1C;
constexpr unsigned vector_smc = 0x08; // of MVBAR

// Exception numbers of UC_HOOK_INTR.
constexpr unsigned exception_svc = 2;
constexpr unsigned exception_breakpoint = 7;
constexpr unsigned exception_smc = 13;
constexpr unsigned exception_undefined = 0x100; // not one of Unicorn's: it has a hook of its own

constexpr std::uint32_t sctlr_v = 1u << 13, sctlr_ee = 1u << 25, sctlr_te = 1u << 30;
constexpr std::uint32_t scr_irq = 1u << 1, scr_fiq = 1u << 2;

constexpr std::uint64_t page_bytes = 4096;

// MRC and MCR, MRRC and MCRR.
bool is_coprocessor(std::uint32_t opcode) {
    return (opcode & 0x0F00'0010) == 0x0E00'0010 || (opcode & 0x0FE0'0000) == 0x0C40'0000;
}

// These and hints.
bool is_special(std::uint32_t opcode) {
    return is_coprocessor(opcode) || (opcode & 0x0FFF'FF00) == op_hint;
}

bool is_coprocessor_15(std::uint32_t opcode) { return (opcode & 0x0F00'0F10) == 0x0E00'0F10; }
bool is_pair_of_15(std::uint32_t opcode) { return (opcode & 0x0FE0'0F00) == 0x0C40'0F00; }

// ARM instructions after which another set may be current, and some that never are: BX, BLX, what
// loads or moves PC, RFE.
bool may_switch_set(std::uint32_t opcode) {
    if (opcode >> 28 == 0xF)
        return true;
    return (opcode & 0x0FFF'FFC0) == 0x012F'FF00 || (opcode & 0x0E10'8000) == 0x0810'8000 ||
           (opcode & 0x0C10'F000) == 0x0410'F000 || (opcode & 0x0C00'F000) == 0x0000'F000;
}

// The same of Thumb: POP, BX, BLX, moves to PC; all of 32 bits.
bool may_switch_set_of_thumb(std::uint32_t first) {
    return thumb::is_wide(first) || first >> 8 == 0xBD || (first & 0xFC00) == 0x4400;
}

// ITSTATE after one more instruction (Arm ARM DDI 0406, A2.5.2).
unsigned next_if_then(unsigned state) {
    return state & 7 ? (state & 0xE0) | (state << 1 & 0x1F) : 0;
}

// Instructions that an IT block has left in this state.
unsigned length_of_block(unsigned state) {
    return state & 15 ? 4 - static_cast<unsigned>(std::countr_zero(state & 15)) : 0;
}

// The state of a block that has only so many of them left.
unsigned shorter_if_then(unsigned state, unsigned instructions) {
    unsigned end = 0x10 >> instructions;
    return (state & ~(2 * end - 1)) | end;
}

// Whether this ends a piece of Unicorn's translation, or is modelled here.
bool is_special(thumb::Kind kind) {
    using thumb::Kind;
    constexpr Kind special[] = {Kind::status,        Kind::nothing,    Kind::wait,
                                Kind::wait_event,    Kind::send_event, Kind::barrier_data,
                                Kind::barrier_fetch, Kind::supervisor, Kind::breakpoint,
                                Kind::undefined,     Kind::coprocessor};
    return thumb::is_branch(kind) || std::ranges::find(special, kind) != std::end(special);
}

// SUBS PC, LR and RFE.
bool returns_in_thumb(std::uint32_t first) {
    return first == 0xF3DE || (first & 0xFFD0) == 0xE810 || (first & 0xFFD0) == 0xE990;
}

unsigned if_then_of(std::uint32_t cpsr) { return (cpsr >> 25 & 3) | (cpsr >> 10 & 0x3F) << 2; }

constexpr std::uint32_t cpsr_of_if_then(unsigned state) {
    return (state & 3) << 25 | (state >> 2) << 10;
}

constexpr std::uint32_t first_of(std::uint32_t halfwords) { return halfwords & 0xFFFF; }
constexpr std::uint32_t second_of(std::uint32_t halfwords) { return halfwords >> 16; }
constexpr std::uint32_t wide_of(std::uint32_t halfwords) {
    return first_of(halfwords) << 16 | second_of(halfwords);
}

thumb::Instruction decode_thumb(std::uint32_t halfwords) {
    return thumb::decode(static_cast<std::uint16_t>(first_of(halfwords)),
                         static_cast<std::uint16_t>(second_of(halfwords)));
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
        core->begin_access();
        core->continue_at(core->timing_->access(core->virtual_of(address), address,
                                                static_cast<unsigned>(size), type == UC_MEM_WRITE));
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
      timing_(static_cast<Timing *>(costs())) {
    if (timing_)
        add_hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, reinterpret_cast<void *>(Hooks::access), 1,
                 0);
    add_hook(UC_HOOK_INSN_INVALID, reinterpret_cast<void *>(Hooks::undefined), 1, 0);
    write_coprocessor(emulator(), scr, 0); // before anything else: see the head of core.h
}

// The word that is at `address`; of Thumb also the halfword after a narrow instruction.
std::uint32_t Core::fetched(std::uint64_t address) {
    if (address / page_bytes * page_bytes != code_page_) [[unlikely]] {
        code_page_ = address / page_bytes * page_bytes;
        code_ = code_at(code_page_);
        if (!code_)
            stop_engine("instruction outside the memory, PC " + where(address) + ", core " +
                        std::to_string(number()));
    }
    std::uint32_t opcode;
    if (address % page_bytes > page_bytes - sizeof opcode) [[unlikely]]
        return opcode_at(address);
    std::memcpy(&opcode, code_ + address % page_bytes, sizeof opcode);
    return opcode;
}

// Which set the next instruction, at `address`, is of.
void Core::look_at_set(std::uint64_t address) {
    may_switch_ = false;
    std::uint32_t cpsr = read_cpsr(emulator());
    bool thumb = cpsr & cpsr_t;
    if (thumb && (!thumb_ || returned_)) {
        if_then_ = if_then_of(cpsr);
        in_block_ = address;
        emulated_ = length_of_block(if_then_);
    } else if (!thumb) {
        if_then_ = began_if_then_ = emulated_ = 0;
    }
    returned_ = false;
    if (thumb == thumb_)
        return;
    thumb_ = thumb;
    if (timing_)
        timing_->enter_set(thumb);
}

void Core::step(std::uint64_t address) {
    if (may_switch_) [[unlikely]]
        look_at_set(address);
    if (if_then_ & 15 && !continue_block(address)) [[unlikely]]
        return;
    if (!next(address))
        return;
    std::uint32_t opcode = fetched(address);
    if (thumb_) [[unlikely]]
        return step_thumb(address, opcode);
    may_switch_ = may_switch_set(opcode);
    if (!is_special(opcode)) [[likely]]
        return;
    if ((opcode & 0x0FFF'FF00) == op_hint)
        hint(address, opcode & 0xFF, executes(opcode));
    else if (executes(opcode))
        access_coprocessor(address, opcode);
}

void Core::step_thumb(std::uint64_t address, std::uint32_t halfwords) {
    std::uint32_t first = first_of(halfwords), wide = wide_of(halfwords);
    may_switch_ = may_switch_set_of_thumb(first);
    returned_ = returns_in_thumb(first);
    unsigned state = began_if_then_ = if_then_;
    if_then_ = next_if_then(state);
    in_block_ = address + (thumb::is_wide(first) ? 4 : 2);
    bool executed = !state || condition_holds(read_cpsr(emulator()), state >> 4);
    if (emulated_)
        --emulated_;
    else if (!executed)
        return skip(address);
    if ((first & 0xFF00) == 0xBF00) { // IT and hints
        if (first & 0xF) {
            if_then_ = first & 0xFF;
            emulated_ = plain_instructions(in_block_);
            if (emulated_ < length_of_block(if_then_))
                emulate_block(in_block_, emulated_);
        } else
            hint(address, first >> 4 & 0xF, executed);
    } else if ((wide & ~0xFFu) == 0xF3AF8000) {
        hint(address, wide & 0xFF, executed);
    } else if (first >> 12 == 0xE && thumb::is_wide(first) && is_coprocessor(wide) && executed) {
        access_coprocessor(address, wide);
    }
}

bool Core::executes(std::uint32_t opcode) const {
    return condition_holds(read_cpsr(emulator()), opcode >> 28);
}

void Core::hint(std::uint64_t address, unsigned number, bool executed) {
    if (number == hint_sev && executed)
        event_(time());
    else if (number == hint_wfe || number == hint_yield) // wakes at once, as it may
        skip(address);
}

// In an IT block, in front of the instruction at `address`. False: Unicorn comes back to it.
bool Core::continue_block(std::uint64_t address) {
    while (emulated_ && in_block_ != address) {
        pass_by(in_block_);
        in_block_ += instruction_bytes(in_block_);
        if_then_ = next_if_then(if_then_);
        --emulated_;
    }
    if (emulated_ || !(if_then_ & 15))
        return true;
    emulated_ = plain_instructions(address);
    if (emulated_)
        emulate_block(address, emulated_);
    return !emulated_;
}

// Lets Unicorn execute so many instructions of the IT block, from `address` on, and then none. It
// translates them again: its last translation must not end in a block (see the head of core.h).
void Core::emulate_block(std::uint64_t address, unsigned instructions) {
    unsigned state = instructions ? shorter_if_then(if_then_, instructions) : 0;
    write_cpsr(emulator(), (read_cpsr(emulator()) & ~cpsr_it) | cpsr_of_if_then(state));
    uc_ctl_remove_cache(emulator(), address, address + 2);
    write_pc(address | 1);
}

// How many instructions of the IT block, from `address` on, Unicorn executes as the core does.
unsigned Core::plain_instructions(std::uint64_t address) const {
    unsigned most = length_of_block(if_then_), count = 0;
    for (; count < most; ++count) {
        auto it = decode_thumb(opcode_at(address));
        if (is_special(it.kind))
            break;
        address += it.size;
    }
    return count;
}

void Core::begin_access() {
    if (began_if_then_ & 15)
        write_cpsr(emulator(), read_cpsr(emulator()) & ~cpsr_it);
}

void Core::access_coprocessor(std::uint64_t address, std::uint32_t opcode) {
    if (is_pair_of_15(opcode))
        stop_engine("MRRC and MCRR are not modelled, PC " + where(address) + ", core " +
                    std::to_string(number()));
    if (!is_coprocessor_15(opcode))
        return;
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
    regime_.reset();
    written_ = instructions();
    code_page_ = 1;
    if (timing_)
        timing_->write_register(reg, value);
    refresh_limit();
    if (done)
        skip(address);
}

// Unicorn takes the set from bit 0.
void Core::skip(std::uint64_t address) {
    write_pc((address + instruction_bytes(address)) | (thumb_ ? 1 : 0));
}

std::uint64_t Core::start_address() const {
    return read_pc() | (read_cpsr(emulator()) & cpsr_t ? 1 : 0);
}

unsigned Core::instruction_bytes(std::uint64_t pc) const {
    return thumb_ && !thumb::is_wide(first_of(opcode_at(pc))) ? 2 : 4;
}

void Core::reset_state() {
    write_cpsr(emulator(), mode_svc | cpsr_i | cpsr_f | cpsr_a);
    write_general(emulator(), 0, argument_);
    if (read_coprocessor(emulator(), scr) & 1)
        refuse("this CPU emulator does not enter the secure state; unicorn 2.1.4 does");
}

// Arm DDI 0406C, A5: BL, BLX; BX LR and what moves or loads PC like it; RFE, LDM with ^, and what
// moves to PC with S.
Flow Core::flow_of(std::uint32_t opcode) const {
    if (thumb_)
        return thumb::flow(decode_thumb(opcode));
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

std::string Core::name_of(std::uint32_t opcode) const {
    std::uint32_t code = thumb_ ? opcode << 16 | opcode >> 16 : opcode;
    constexpr std::uint32_t mcr = 0x0E000010;
    unsigned processor = code >> 8 & 15;
    if ((code & 0x0F000010) != mcr || processor < 14)
        return UnicornCore::name_of(opcode);
    auto number = [code](unsigned at, unsigned mask) { return std::to_string(code >> at & mask); };
    return std::string(code >> 20 & 1 ? "mrc" : "mcr") + " p" + std::to_string(processor) + ", " +
           number(21, 7) + ", r" + number(12, 15) + ", c" + number(16, 15) + ", c" + number(0, 15) +
           ", " + number(5, 7);
}

bool Core::is_wfi(std::uint32_t opcode) const {
    if (thumb_)
        return first_of(opcode) == 0xBF30 || wide_of(opcode) == 0xF3AF8003;
    return (opcode & 0x0FFF'FFFF) == (op_wfi & 0x0FFF'FFFF);
}

bool Core::is_branch_to_self(std::uint32_t opcode) const {
    if (thumb_)
        return first_of(opcode) == 0xE7FE || wide_of(opcode) == 0xF7FFBFFE;
    return opcode == op_branch_to_self;
}

bool Core::is_barrier(std::uint32_t opcode) const {
    return thumb_ ? (wide_of(opcode) & ~15u) == 0xF3BF8F40 : (opcode & ~15u) == op_dsb;
}

bool Core::masks_irq() const { return read_cpsr(emulator()) & cpsr_i; }

// The vector that an interrupt would take now, or no_vector.
unsigned Core::takeable_vector() const {
    if ((!irq() && !fiq()) || if_then_ & 15)
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

// Enters `mode` at `vector` as an exception does (Arm ARM DDI 0406, B1.8).
void Core::take_to(std::uint32_t mode, unsigned vector, std::uint32_t link, unsigned if_then) {
    auto *uc = emulator();
    std::uint32_t before = (read_cpsr(uc) & ~cpsr_it) | cpsr_of_if_then(if_then);
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
    write_pc((base + vector) | (after & cpsr_t ? 1 : 0));
    if_then_ = began_if_then_ = emulated_ = 0;
    may_switch_ = true;
    code_page_ = 1;
}

void Core::take(unsigned vector, std::uint64_t return_address) {
    auto pc = static_cast<std::uint32_t>(return_address);
    switch (vector) {
    case vector_fiq:
        return take_to(mode_fiq, vector, pc + 4, if_then_);
    case vector_irq:
        return take_to(mode_irq, vector, pc + 4, if_then_);
    case vector_undefined:
        return take_to(mode_undefined, vector, pc + (thumb_ ? 2 : 4), began_if_then_);
    case vector_prefetch_abort:
        return take_to(mode_abort, vector, pc + 4, if_then_);
    case vector_data_abort:
        return take_to(mode_abort, vector, pc + 8, began_if_then_);
    default: // SVC: PC is after the instruction
        return take_to(mode_svc, vector, pc, if_then_);
    }
}

void Core::handle_exception(unsigned number) {
    std::uint64_t pc = read_pc();
    switch (number) {
    case exception_undefined:
        return enter(vector_undefined, pc, Cause::fault);
    case exception_svc:
        return enter(vector_svc, pc, Cause::request);
    case exception_breakpoint: // no debugger is there: a prefetch abort, IFSR says debug event
        write_coprocessor(emulator(), ifsr, 2);
        return enter(vector_prefetch_abort, pc, Cause::fault);
    case exception_smc:
        take_to(mode_monitor, vector_smc, static_cast<std::uint32_t>(pc), if_then_);
        return;
    default:
        stop_engine("exception " + std::to_string(number) + " is not modelled, PC " + where(pc) +
                    ", core " + std::to_string(this->number()));
    }
}

void Core::handle_abort(Reach reach, std::uint64_t page, std::uint32_t status) {
    std::uint64_t pc = read_pc();
    if (reach == Reach::fetch) {
        write_coprocessor(emulator(), ifsr, status & 0xF); // it has no domain
        write_coprocessor(emulator(), ifar, static_cast<std::uint32_t>(pc));
        return enter(vector_prefetch_abort, pc, Cause::fault);
    }
    constexpr std::uint32_t write = 1u << 11;
    auto address = operand(pc);
    if (!address || *address / page_bytes != page / page_bytes)
        address = static_cast<std::uint32_t>(page); // Unicorn tells no more
    write_coprocessor(emulator(), dfsr, status | (reach == Reach::store ? write : 0));
    write_coprocessor(emulator(), dfar, *address);
    enter(vector_data_abort, pc, Cause::fault);
}

// The address that a load or store of one word, halfword or byte reaches; of others nothing.
std::optional<std::uint32_t> Core::operand(std::uint64_t pc) const {
    std::uint32_t opcode = opcode_at(pc);
    if (thumb_) {
        auto it = decode_thumb(opcode);
        if (it.base > 14 || it.indexed || it.multiple)
            return {};
        return read_general(emulator(), it.base) + static_cast<std::uint32_t>(it.offset);
    }
    bool word = (opcode & 0x0E00'0000) == 0x0400'0000;  // immediate offset
    bool extra = (opcode & 0x0E40'0090) == 0x0040'0090; // the same, other sizes
    unsigned base = opcode >> 16 & 15;
    if ((!word && !extra) || base == 15)
        return {};
    std::uint32_t offset = word ? opcode & 0xFFF : (opcode >> 4 & 0xF0) | (opcode & 0xF);
    bool before = opcode >> 24 & 1, up = opcode >> 23 & 1;
    std::uint32_t from = read_general(emulator(), base);
    return before ? (up ? from + offset : from - offset) : from;
}

Translation Core::translate(std::uint64_t address, Reach reach) const {
    // An MCR writes after its hooks, so what they read does not stay.
    if (!regime_ || written_ == instructions())
        regime_ = Regime::read(emulator());
    Regime regime = *regime_;
    if (written_ == instructions())
        regime_.reset();
    if (!regime.on())
        return {.to = address & ~(page_bytes - 1)};
    constexpr std::uint32_t mode_user = 0x10;
    bool user = (read_cpsr(emulator()) & mode_mask) == mode_user;
    return a32::translate(memory(), regime, static_cast<std::uint32_t>(address), reach, user);
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
