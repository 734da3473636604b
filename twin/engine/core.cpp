#include "core.h"

#include "registers.h"
#include "stop.h"
#include "sysregs.h"

#include <unicorn/unicorn.h>

#include <cstring>

namespace twin {

namespace {

// Unicorn's own TLB starts with 256 entries and may double only when it is flushed, so that a core
// that works on many pages misses all the time unless somebody flushes it: seldom, since
// each flush costs the entries that were there. In instructions.
constexpr std::uint64_t first_tlb_flush = 1 << 16;
constexpr std::uint64_t longest_tlb_life = 16 << 20;

constexpr std::uint32_t op_branch_to_self = 0x14000000;
constexpr std::uint32_t op_wfi = 0xD503207F;

// Vector offsets within a group of the table, Arm ARM D1.10.2.
constexpr unsigned vector_sync = 0x000;
constexpr unsigned vector_irq = 0x080;
constexpr unsigned vector_fiq = 0x100;
constexpr unsigned no_vector = ~0u;

// Exception numbers of UC_HOOK_INTR.
constexpr unsigned exception_undefined = 1;
constexpr unsigned exception_svc = 2;
constexpr unsigned exception_prefetch_abort = 3;
constexpr unsigned exception_data_abort = 4;
constexpr unsigned exception_breakpoint = 7;
constexpr unsigned exception_hvc = 11;
constexpr unsigned exception_smc = 13;
constexpr unsigned exception_fp = 0x100; // not one of Unicorn's: see trap_fp

constexpr std::uint64_t cptr_tfp = 1 << 10;

int name_of_general_register(unsigned index) {
    return index < 29 ? UC_ARM64_REG_X0 + static_cast<int>(index)
                      : (index == 29 ? UC_ARM64_REG_X29 : UC_ARM64_REG_X30);
}

bool is_dsb(std::uint32_t opcode) { return (opcode & 0xFFFFF0FF) == 0xD503309F; }
bool is_brk(std::uint32_t opcode) { return (opcode & 0xFFE0001F) == 0xD4200000; }

// Loads and stores of FP registers, FP and vector arithmetic (Arm DDI 0487, C4.1).
bool is_fp(std::uint32_t opcode) {
    bool memory = (opcode >> 25 & 5) == 4, arithmetic = (opcode >> 25 & 7) == 7;
    return (memory && opcode >> 26 & 1) || arithmetic;
}

} // namespace

// A device as one core sees it.
struct Core::Window {
    Core *core;
    Device *device;
    std::uint64_t base;
};

// Unicorn's callbacks. Each is named after its hook.
struct CoreHooks {
    static void code(uc_engine *, std::uint64_t address, std::uint32_t, void *user) {
        static_cast<Core *>(user)->count_instruction(address);
    }

    static void timed_code(uc_engine *, std::uint64_t address, std::uint32_t, void *user) {
        static_cast<Core *>(user)->time_instruction(address);
    }

    static void timed_access(uc_engine *, uc_mem_type type, std::uint64_t address, int size,
                             std::int64_t, void *user) {
        static_cast<Core *>(user)->time_access(address, static_cast<unsigned>(size),
                                               type == UC_MEM_WRITE);
    }

    static void interrupt(uc_engine *uc, std::uint32_t number, void *user) {
        auto *core = static_cast<Core *>(user);
        core->stop_ = Core::Stop::exception;
        core->exception_ = number;
        uc_emu_stop(uc);
    }

    static bool unmapped(uc_engine *, uc_mem_type type, std::uint64_t address, int size,
                         std::int64_t, void *user) {
        auto *core = static_cast<Core *>(user);
        const char *what = type == UC_MEM_FETCH_UNMAPPED   ? "instruction fetch"
                           : type == UC_MEM_WRITE_UNMAPPED ? "store"
                                                           : "load";
        stop_engine(std::string(what) + " of " + std::to_string(size) +
                    " bytes at unknown address " + hex(address) + ", PC " + hex(core->pc_) +
                    ", core " + std::to_string(core->number_));
    }

    static std::uint32_t mrs(uc_engine *uc, uc_arm64_reg to, const uc_arm64_cp_reg *name,
                             void *user) {
        auto *core = static_cast<Core *>(user);
        SystemRegister reg(name->op0, name->op1, name->crn, name->crm, name->op2);
        std::uint64_t value = 0;
        if (!core->registers_->read(reg, value))
            return 0; // Unicorn's own register
        uc_reg_write(uc, to, &value);
        return 1;
    }

    static std::uint32_t msr(uc_engine *uc, uc_arm64_reg from, const uc_arm64_cp_reg *name,
                             void *user) {
        auto *core = static_cast<Core *>(user);
        SystemRegister reg(name->op0, name->op1, name->crn, name->crm, name->op2);
        std::uint64_t value = 0;
        uc_reg_read(uc, from, &value);
        bool done = core->registers_->write(reg, value);
        if (core->timing_)
            core->timing_->write_register(reg, value);
        core->refresh_limit(); // a write may have unmasked something
        return done;
    }

    // Behind `code` or `timed_code`, of the same instruction.
    static void fp(uc_engine *uc, std::uint64_t, std::uint32_t, void *user) {
        auto *core = static_cast<Core *>(user);
        if (core->stop_ != Core::Stop::none || !(read_system_register(uc, cptr_el3) & cptr_tfp))
            return;
        core->stop_ = Core::Stop::exception;
        core->exception_ = exception_fp;
        uc_emu_stop(uc);
    }

    static std::uint64_t load(uc_engine *, std::uint64_t offset, unsigned size, void *user) {
        auto *window = static_cast<Core::Window *>(user);
        return window->core->load(*window, offset, size);
    }

    static void store(uc_engine *, std::uint64_t offset, unsigned size, std::uint64_t value,
                      void *user) {
        auto *window = static_cast<Core::Window *>(user);
        window->core->store(*window, offset, size, value);
    }
};

Core::Core(unsigned number, Memory &memory, EventQueue &events, const Profile &profile,
           const std::vector<Device *> &devices, std::unique_ptr<Timing> timing)
    : number_(number), events_(events), profile_(profile), timing_(std::move(timing)),
      next_tlb_flush_(first_tlb_flush) {
    auto check = [](uc_err error, const char *what) {
        if (error != UC_ERR_OK)
            refuse(std::string(what) + ": " + uc_strerror(error));
    };
    check(uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &uc_), "CPU emulator");
    check(uc_ctl_set_cpu_model(uc_, UC_CPU_ARM64_A53), "CPU model");
    for (const auto &region : memory.regions())
        check(uc_mem_map_ptr(uc_, region.base, region.size, UC_PROT_ALL, region.bytes), "memory");
    for (auto *device : devices)
        for (auto page : device->pages()) {
            windows_.push_back(std::make_unique<Window>(Window{this, device, page}));
            auto *window = windows_.back().get();
            check(uc_mmio_map(uc_, page, 0x1000, CoreHooks::load, window, CoreHooks::store, window),
                  device->name());
        }
    // Hooks must be there before the first instruction: code translated without them keeps
    // running without them.
    add_hooks();
}

void Core::add_hooks() {
    auto add = [this](int type, auto *function, int instruction = 0) {
        uc_hook hook;
        auto *callback = reinterpret_cast<void *>(function);
        uc_err error = instruction ? uc_hook_add(uc_, &hook, type, callback, this, std::uint64_t{1},
                                                 std::uint64_t{0}, instruction)
                                   : uc_hook_add(uc_, &hook, type, callback, this, std::uint64_t{1},
                                                 std::uint64_t{0});
        if (error != UC_ERR_OK)
            refuse(std::string("CPU hooks: ") + uc_strerror(error));
    };
    if (timing_) {
        add(UC_HOOK_CODE, CoreHooks::timed_code);
        add(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, CoreHooks::timed_access);
        timing_->attach([this](unsigned index) { return general_register(index); });
    } else {
        add(UC_HOOK_CODE, CoreHooks::code);
    }
    add(UC_HOOK_INTR, CoreHooks::interrupt);
    add(UC_HOOK_MEM_UNMAPPED, CoreHooks::unmapped);
    add(UC_HOOK_INSN, CoreHooks::mrs, UC_ARM64_INS_MRS);
    add(UC_HOOK_INSN, CoreHooks::msr, UC_ARM64_INS_MSR);
}

void Core::trap_fp(const std::vector<Region> &code) {
    for (const auto &region : code)
        for (std::uint64_t at = 0; at + 4 <= region.size; at += 4) {
            std::uint32_t opcode;
            std::memcpy(&opcode, region.bytes + at, sizeof opcode);
            if (!is_fp(opcode))
                continue;
            uc_hook hook;
            std::uint64_t address = region.base + at;
            if (uc_err error =
                    uc_hook_add(uc_, &hook, UC_HOOK_CODE, reinterpret_cast<void *>(CoreHooks::fp),
                                this, address, address);
                error != UC_ERR_OK)
                refuse(std::string("CPU hooks: ") + uc_strerror(error));
        }
}

Core::~Core() {
    if (uc_)
        uc_close(uc_);
}

std::uint64_t Core::active_cycles() const {
    return cycles_before_ + (issue_time() - wfi_time_ - active_before_) / cycle_;
}

void Core::set_cycle(Time cycle, Time time) {
    if (state_ == State::spin) {
        Time at = align_up(std::max(time_, time), cycle_);
        instructions_ += (at - time_) / cycle_;
        time_ = at;
    }
    Time active = time_ - wfi_time_;
    cycles_before_ += (active - active_before_) / cycle_;
    active_before_ = active;
    cycle_ = cycle;
    if (timing_)
        timing_->set_cycle(cycle);
    if (state_ == State::running)
        time_ = align_up(time_, cycle_);
}

void Core::release(std::uint64_t entry, Time time) {
    if (state_ != State::reset)
        return;
    write_pstate(uc_, pstate_el3h_masked);
    if (current_el(uc_) != 3)
        refuse("this CPU emulator does not enter EL3; unicorn 2.1.4 does");
    uc_reg_write(uc_, UC_ARM64_REG_PC, &entry);
    time_ = align_up(time, cycle_);
    wfi_time_ = released_ = time_; // the cycle counter starts with the core
    state_ = State::running;
    coroutine_ = std::make_unique<Coroutine>([this] { body(); });
}

Time Core::asleep_until(Time now) const {
    Time asleep = wfi_time_ - released_;
    return state_ == State::wfi ? asleep + std::max(now, time_) - time_ : asleep;
}

void Core::run(Time horizon, bool alone) {
    horizon_ = horizon;
    alone_ = alone;
    refresh_limit();
    coroutine_->resume();
}

void Core::lower_horizon(Time time) {
    if (time >= horizon_)
        return;
    horizon_ = time;
    refresh_limit();
}

bool Core::wants_attention() const { return irq_ || fiq_ || stores_in_flight_; }

void Core::refresh_limit() { limit_ = wants_attention() ? 0 : horizon_; }

void Core::yield() { coroutine_->yield(); }

inline void Core::count_instruction(std::uint64_t address) {
    if (time_ >= limit_ || address == pc_) [[unlikely]]
        return count_after_boundary(address);
    pc_ = address;
    time_ += cycle_;
    ++instructions_;
}

void Core::count_after_boundary(std::uint64_t address) {
    if (!boundary(address, time_))
        return;
    pc_ = address;
    time_ += cycle_;
    ++instructions_;
}

void Core::time_instruction(std::uint64_t address) {
    Time start = timing_->prepare(address, time_);
    if (start >= limit_ || address == pc_) [[unlikely]] {
        if (!boundary(address, start))
            return;
    } else {
        time_ = start;
    }
    pc_ = address;
    time_ = timing_->commit(time_);
    ++instructions_;
}

void Core::time_access(std::uint64_t address, unsigned size, bool store) {
    time_ = timing_->access(address, size, store);
}

// In front of an instruction that can issue at `start`. False: it is not executed now.
bool Core::boundary(std::uint64_t address, Time start) {
    for (;; waiting_since_ = never) {
        while (time_ >= horizon_)
            yield();
        vector_ = takeable_vector();
        if (vector_ != no_vector) {
            stop_ = Stop::interrupt;
            uc_emu_stop(uc_);
            return false;
        }
        if (time_ < start) {
            waiting_since_ = time_;
            time_ = start;
            while (time_ >= horizon_)
                yield();
            continue;
        }
        if (address == pc_ && opcode_at(address) == op_branch_to_self) {
            state_ = State::spin;
            yield();
            continue;
        }
        if (stores_in_flight_ && is_dsb(opcode_at(address))) {
            state_ = State::stalled;
            yield();
            continue;
        }
        if (instructions_ >= next_tlb_flush_) {
            uc_ctl_flush_tlb(uc_);
            next_tlb_flush_ = std::min(2 * instructions_, instructions_ + longest_tlb_life);
        }
        refresh_limit();
        return true;
    }
}

void Core::set_irq(bool level, Time time) {
    irq_ = level;
    if (level)
        wake(time);
    refresh_limit();
}

void Core::set_fiq(bool level, Time time) {
    fiq_ = level;
    if (level)
        wake(time);
    refresh_limit();
}

void Core::wake(Time time) {
    // An interrupt does not wait for the operands of the instruction that it comes before.
    if (waiting_since_ < time_)
        time_ = std::min(time_, std::max(waiting_since_, align_up(time, cycle_)));
    if (state_ == State::wfi) {
        Time at = align_up(std::max(time_, time), cycle_) + profile_.wfi_wake * cycle_ / cpu_cycle;
        wfi_time_ += at - time_;
        time_ = at;
        state_ = State::running;
    } else if (state_ == State::spin && takeable_vector() != no_vector) {
        Time at = align_up(std::max(time_, time), cycle_);
        instructions_ += (at - time_) / cycle_;
        time_ = at;
        state_ = State::running;
    }
}

void Core::store_completed(Time time) {
    --stores_in_flight_;
    if (state_ == State::stalled && stores_in_flight_ == 0) {
        Time at = align_up(std::max(time_, time), cycle_);
        stalled_time_ += at - time_;
        time_ = at;
        state_ = State::running;
    }
    refresh_limit();
}

void Core::wait_until(Time time) {
    time_ = time;
    if (!alone_ || time_ >= horizon_)
        yield();
}

// Offset of the vector that an interrupt would take now, or no_vector.
unsigned Core::takeable_vector() const {
    if (!irq_ && !fiq_)
        return no_vector;
    std::uint64_t pstate = read_pstate(uc_);
    bool at_el3 = (pstate >> 2 & 3) == 3;
    auto taken = [&](bool level, unsigned mask_bit, unsigned scr_bit) {
        if (!level || (at_el3 && pstate >> mask_bit & 1))
            return false;
        // Last, because it takes long and a handler that has not yet read IAR comes here with
        // each instruction.
        bool to_el3 = read_system_register(uc_, scr_el3) >> scr_bit & 1;
        if (at_el3)
            return to_el3;
        if (!to_el3)
            stop_engine("interrupt for an exception level below EL3 is not modelled, PC " +
                        hex(pc_) + ", core " + std::to_string(number_));
        return true;
    };
    if (taken(fiq_, 6, 2))
        return vector_fiq;
    if (taken(irq_, 7, 1))
        return vector_irq;
    return no_vector;
}

void Core::body() {
    for (;;) {
        stop_ = Stop::none;
        std::uint64_t pc = 0;
        uc_reg_read(uc_, UC_ARM64_REG_PC, &pc);
        uc_err error = uc_emu_start(uc_, pc, ~std::uint64_t{3}, 0, 0);
        uc_reg_read(uc_, UC_ARM64_REG_PC, &pc);
        switch (stop_) {
        case Stop::interrupt:
            enter(vector_, pc);
            continue;
        case Stop::exception:
            handle_exception(exception_);
            continue;
        case Stop::none:
            if (error != UC_ERR_OK)
                stop_engine(std::string("CPU emulator: ") + uc_strerror(error) + ", PC " + hex(pc) +
                            ", core " + std::to_string(number_));
            if (opcode_at(pc_) != op_wfi)
                stop_engine("CPU emulator stopped without a reason, PC " + hex(pc) + ", core " +
                            std::to_string(number_));
            sleep_in_wfi();
        }
    }
}

void Core::sleep_in_wfi() {
    // Signalled already, also when masked: WFI does not wait.
    while (time_ >= horizon_)
        yield();
    if (irq_ || fiq_)
        return;
    state_ = loses_power_() ? State::reset : State::wfi;
    yield();
}

void Core::handle_exception(unsigned number) {
    std::uint64_t pc = 0;
    uc_reg_read(uc_, UC_ARM64_REG_PC, &pc);
    bool from_el3 = current_el(uc_) == 3;
    std::uint64_t address_fault = 0;
    std::uint32_t syndrome = 1u << 25; // IL: a 32-bit instruction
    auto class_is = [&syndrome](std::uint32_t value) { syndrome |= value << 26; };
    auto immediate = [this](std::uint64_t at) { return opcode_at(at) >> 5 & 0xFFFF; };
    switch (number) {
    case exception_undefined:
        if (emulate_system_instruction(pc)) {
            pc += 4;
            uc_reg_write(uc_, UC_ARM64_REG_PC, &pc);
            return;
        }
        class_is(0x00);
        break;
    case exception_fp:
        class_is(0x07);
        syndrome |= 0x1Eu << 20; // CV, and COND of an instruction that has none
        break;
    case exception_svc: // PC is behind the instruction
        class_is(0x15);
        syndrome |= immediate(pc - 4);
        break;
    case exception_smc:
        class_is(0x17);
        syndrome |= immediate(pc - 4);
        break;
    case exception_breakpoint:
        if (!is_brk(opcode_at(pc)))
            goto unknown;
        class_is(0x3C);
        syndrome |= immediate(pc);
        break;
    case exception_prefetch_abort:
        class_is(from_el3 ? 0x21 : 0x20);
        address_fault = pc;
        break;
    case exception_data_abort:
        // Unicorn tells neither address nor reason: FAR reads 0 with ISS.FnV = 1.
        class_is(from_el3 ? 0x25 : 0x24);
        syndrome |= 1u << 10;
        break;
    case exception_hvc:
    default:
    unknown:
        stop_engine("exception " + std::to_string(number) + " is not modelled, PC " + hex(pc) +
                    ", core " + std::to_string(number_));
    }
    write_system_register(uc_, esr_el3, syndrome);
    write_system_register(uc_, far_el3, address_fault);
    enter(vector_sync, pc);
}

void Core::enter(unsigned vector, std::uint64_t return_address) {
    take_to_el3(uc_, vector, return_address);
    time_ += profile_.interrupt_entry * cycle_ / cpu_cycle;
    pc_ = 1; // the vector's first instruction is never a repetition
    if (timing_)
        timing_->flush(time_);
}

// Implementation-defined registers that Unicorn does not know arrive as undefined instructions.
bool Core::emulate_system_instruction(std::uint64_t address) {
    std::uint32_t opcode = opcode_at(address);
    if ((opcode & 0xFFD00000) != 0xD5100000)
        return false; // MRS, MSR (register) only
    SystemRegister reg(2 + (opcode >> 19 & 1), opcode >> 16 & 7, opcode >> 12 & 15,
                       opcode >> 8 & 15, opcode >> 5 & 7);
    unsigned index = opcode & 31;
    if (opcode >> 21 & 1) {
        std::uint64_t value = 0;
        registers_->read_trapped(reg, value);
        if (index != 31)
            uc_reg_write(uc_, name_of_general_register(index), &value);
    } else {
        registers_->write_trapped(reg, index != 31 ? general_register(index) : 0);
    }
    return true;
}

std::uint64_t Core::general_register(unsigned index) const {
    std::uint64_t value = 0;
    uc_reg_read(uc_, name_of_general_register(index), &value);
    return value;
}

std::uint32_t Core::opcode_at(std::uint64_t address) const {
    std::uint32_t opcode = 0;
    uc_vmem_read(uc_, address, UC_PROT_EXEC, &opcode, sizeof opcode);
    return opcode;
}

// 64-bit and pair accesses arrive as two callbacks in one instruction; no device here takes them.
void Core::check_single_access(const Device &device, const Access &access) {
    if (last_access_instruction_ == instructions_)
        refuse_access(device, access, "wider than 32 bits, or a pair");
    last_access_instruction_ = instructions_;
}

std::uint64_t Core::load(const Window &window, std::uint64_t offset, unsigned size) {
    Access access{this, pc_, window.base + offset, size, false, instructions_};
    check_single_access(*window.device, access);
    wait_until(issue_time() + window.device->path());
    std::uint32_t value = window.device->load(access);
    time_ = align_up(time_ + window.device->way_back(), cycle_) + cycle_;
    return value;
}

void Core::store(const Window &window, std::uint64_t offset, unsigned size, std::uint64_t value) {
    Access access{this, pc_, window.base + offset, size, true, instructions_};
    auto *device = window.device;
    auto word = static_cast<std::uint32_t>(value);
    check_single_access(*device, access);
    device->check_store(access, word);
    Time arrival = issue_time() + device->path();
    ++stores_in_flight_;
    events_.post(arrival, [this, device, access, word, arrival] {
        Time done = device->store(access, word, arrival) + device->way_back();
        events_.post(done, [this, done] { store_completed(done); });
    });
    refresh_limit();
}

void Core::dump(std::ostream &out) const {
    constexpr const char *names[] = {"in reset", "running", "waits for a device", "in WFI",
                                     "in `b .`"};
    out << "core " << number_ << ": " << names[static_cast<int>(state_)] << ", time " << time_ / 6
        << " ns, PC " << hex(pc_) << ", " << instructions_ << " instructions\n";
    if (state_ == State::reset)
        return;
    for (unsigned i = 0; i < 31; ++i) {
        out << "  x" << i << "=" << hex(general_register(i)) << (i % 4 == 3 || i == 30 ? "\n" : "");
    }
    std::uint64_t sp = 0;
    uc_reg_read(uc_, UC_ARM64_REG_SP, &sp);
    out << "  sp=" << hex(sp) << "  pstate=" << hex(read_pstate(uc_))
        << "  elr_el3=" << hex(read_system_register(uc_, elr_el3))
        << "  esr_el3=" << hex(read_system_register(uc_, esr_el3)) << "\n";
}

} // namespace twin
