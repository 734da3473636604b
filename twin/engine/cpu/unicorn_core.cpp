#include "cpu/unicorn_core.h"

#include "core/observer.h"
#include "core/stop.h"

#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace twin {

namespace {

// Unicorn's own TLB starts with 256 entries and may double only when it is flushed, so that a core
// that works on many pages misses all the time unless somebody flushes it: seldom, since
// each flush costs the entries that were there. In instructions.
constexpr std::uint64_t first_tlb_flush = 1 << 16;
constexpr std::uint64_t longest_tlb_life = 16 << 20;

constexpr std::uint64_t page_bytes = 4096;

// Where the emulation would end by itself. The emulator looks at its page, whether it is mapped or
// not.
constexpr std::uint64_t unreachable = ~std::uint64_t{3};

// The page of `unreachable`, also of an address of 32 bits.
bool looked_at(std::uint64_t page) {
    return page / page_bytes == unreachable / page_bytes ||
           page / page_bytes == (unreachable & 0xFFFF'FFFF) / page_bytes;
}

} // namespace

// Unicorn's callbacks. Each is named after its hook.
struct CoreHooks {
    static void interrupt(uc_engine *uc, std::uint32_t number, void *user) {
        auto *core = static_cast<UnicornCore *>(user);
        core->stop_ = UnicornCore::Stop::exception;
        core->exception_ = number;
        uc_emu_stop(uc);
    }

    static void executes(uc_engine *, std::uint64_t address, std::uint32_t, void *user) {
        auto *core = static_cast<UnicornCore *>(user);
        if (address == core->pc_ && !core->ends()) // else something else comes first
            core->observer_->executes(*core, address, core->issued());
    }

    static void stores(uc_engine *, uc_mem_type, std::uint64_t address, int size, std::int64_t,
                       void *user) {
        auto *core = static_cast<UnicornCore *>(user);
        core->begin_access();
        core->observer_->stores(*core, address, static_cast<unsigned>(size), core->issued());
        if (auto other = core->virtual_of(address); other != address)
            core->observer_->stores(*core, other, static_cast<unsigned>(size), core->issued());
    }

    static bool fill(uc_engine *, std::uint64_t address, uc_mem_type type, uc_tlb_entry *entry,
                     void *user) {
        auto *core = static_cast<UnicornCore *>(user);
        auto reach = type == UC_MEM_FETCH   ? Reach::fetch
                     : type == UC_MEM_WRITE ? Reach::store
                                            : Reach::load;
        bool writable = false, executable = false;
        if (!core->fill(address, reach, entry->paddr, writable, executable))
            return false;
        entry->perms = static_cast<uc_prot>(UC_PROT_READ | (writable ? UC_PROT_WRITE : 0) |
                                            (executable ? UC_PROT_EXEC : 0));
        return true;
    }

    static bool unmapped(uc_engine *, uc_mem_type type, std::uint64_t address, int size,
                         std::int64_t, void *user) {
        auto *core = static_cast<UnicornCore *>(user);
        const char *what = type == UC_MEM_FETCH_UNMAPPED   ? "instruction fetch"
                           : type == UC_MEM_WRITE_UNMAPPED ? "store"
                                                           : "load";
        stop_engine(std::string(what) + " of " + std::to_string(size) +
                    " bytes at unknown address " + hex(address) + core->nowhere_(address) + ", " +
                    core->executing() + ", core " + std::to_string(core->number()));
    }
};

UnicornCore::UnicornCore(unsigned number, const Model &model, Memory &memory, EventQueue &events,
                         const CoreTimes &times, Time nominal_cycle,
                         const std::vector<Device *> &devices, std::unique_ptr<Timing> timing)
    : Core(number), model_(model), memory_(memory), events_(events), times_(times),
      nominal_cycle_(nominal_cycle), timing_(std::move(timing)), cycle_(nominal_cycle),
      next_tlb_flush_(first_tlb_flush) {
    auto check = [](uc_err error, const char *what) {
        if (error != UC_ERR_OK)
            refuse(std::string(what) + ": " + uc_strerror(error));
    };
    check(uc_open(static_cast<uc_arch>(model.architecture), static_cast<uc_mode>(model.mode), &uc_),
          "CPU emulator");
    check(uc_ctl_set_cpu_model(uc_, model.cpu), "CPU model");
    for (const auto &region : memory.regions())
        check(uc_mem_map_ptr(uc_, region.base, region.size, UC_PROT_ALL, region.bytes), "memory");
    for (auto *device : devices)
        map(*device);
    auto add = [this](int type, auto *callback) {
        add_hook(type, reinterpret_cast<void *>(callback), 1, 0);
    };
    add_hook(UC_HOOK_CODE, model.code_hook, 1, 0);
    if (timing_)
        timing_->attach([this](unsigned index) { return general_register(index); });
    add(UC_HOOK_INTR, CoreHooks::interrupt);
    add(UC_HOOK_MEM_UNMAPPED, CoreHooks::unmapped);
    check(uc_ctl_tlb_mode(uc_, UC_TLB_VIRTUAL), "CPU emulator's TLB");
    add(UC_HOOK_TLB_FILL, CoreHooks::fill);
}

UnicornCore::~UnicornCore() {
    if (uc_)
        uc_close(uc_);
}

void UnicornCore::add_hook(int type, void *callback, std::uint64_t first, std::uint64_t last,
                           int instruction) {
    uc_hook hook;
    uc_err error = instruction
                       ? uc_hook_add(uc_, &hook, type, callback, this, first, last, instruction)
                       : uc_hook_add(uc_, &hook, type, callback, this, first, last);
    if (error != UC_ERR_OK)
        refuse(std::string("CPU hooks: ") + uc_strerror(error));
}

void UnicornCore::raise(unsigned exception) {
    if (ends())
        return;
    stop_ = Stop::exception;
    exception_ = exception;
    uc_emu_stop(uc_);
}

std::uint64_t UnicornCore::active_cycles() const {
    return cycles_before_ + (issue_time() - wfi_time_ - active_before_) / cycle_;
}

void UnicornCore::set_cycle(Time cycle, Time time) {
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

void UnicornCore::release(std::uint64_t entry, Time time) {
    if (state_ != State::reset)
        return;
    reset_state();
    write_pc(entry);
    time_ = align_up(time, cycle_);
    wfi_time_ = released_ = time_; // the cycle counter starts with the core
    state_ = State::running;
    coroutine_ = std::make_unique<Coroutine>([this] { body(); });
}

Time UnicornCore::asleep_until(Time now) const {
    Time asleep = wfi_time_ - released_;
    return state_ == State::wfi ? asleep + std::max(now, time_) - time_ : asleep;
}

void UnicornCore::run(Time horizon, bool alone) {
    horizon_ = horizon;
    alone_ = alone;
    refresh_limit();
    coroutine_->resume();
}

void UnicornCore::lower_horizon(Time time) {
    if (time >= horizon_)
        return;
    horizon_ = time;
    refresh_limit();
}

bool UnicornCore::count_after_boundary(std::uint64_t address) {
    if (!boundary(address, time_))
        return false;
    pc_ = address;
    time_ += cycle_;
    ++instructions_;
    return true;
}

bool UnicornCore::time_instruction(std::uint64_t address) {
    Time start = timing_->prepare(address, time_);
    if (start >= limit_ || address == pc_) [[unlikely]] {
        if (!boundary(address, start))
            return false;
    } else {
        time_ = start;
    }
    pc_ = address;
    issued_ = time_;
    time_ = timing_->commit(time_);
    ++instructions_;
    return true;
}

void UnicornCore::pass_by(std::uint64_t address) {
    if (next(address) && observer_)
        observer_->executes(*this, address, issued());
}

// In front of an instruction that can issue at `start`. False: it is not executed now.
bool UnicornCore::boundary(std::uint64_t address, Time start) {
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
        if (address == pc_ && is_branch_to_self(opcode_at(address))) {
            state_ = State::spin;
            yield();
            continue;
        }
        if (stores_in_flight_ && is_barrier(opcode_at(address))) {
            state_ = State::stalled;
            yield();
            continue;
        }
        if (flush_wanted_ || instructions_ >= next_tlb_flush_) {
            flush_wanted_ = false;
            uc_ctl_flush_tlb(uc_);
            next_tlb_flush_ = std::min(2 * instructions_, instructions_ + longest_tlb_life);
        }
        refresh_limit();
        return true;
    }
}

void UnicornCore::set_irq(bool level, Time time) {
    irq_ = level;
    if (level)
        wake(time);
    refresh_limit();
}

void UnicornCore::set_fiq(bool level, Time time) {
    fiq_ = level;
    if (level)
        wake(time);
    refresh_limit();
}

void UnicornCore::wake(Time time) {
    // An interrupt does not wait for the operands of the instruction that it comes before.
    if (waiting_since_ < time_)
        time_ = std::min(time_, std::max(waiting_since_, align_up(time, cycle_)));
    if (state_ == State::wfi) {
        Time at =
            align_up(std::max(time_, time), cycle_) + times_.wfi_wake * cycle_ / nominal_cycle_;
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

void UnicornCore::wait_until(Time time) {
    time_ = time;
    if (!alone_ || time_ >= horizon_)
        yield();
}

void UnicornCore::body() {
    for (;;) {
        stop_ = Stop::none;
        uc_err error = uc_emu_start(uc_, start_address(), unreachable, 0, 0);
        std::uint64_t pc = read_pc();
        switch (stop_) {
        case Stop::interrupt:
            if (observer_)
                observer_->interrupts(*this, pc, time_);
            enter(vector_, pc, Cause::interrupt);
            continue;
        case Stop::exception:
            handle_exception(exception_);
            continue;
        case Stop::none:
            if (error == UC_ERR_EXCEPTION && refused_ && refused_->instruction == instructions_) {
                auto refused = *refused_;
                refused_.reset();
                handle_abort(refused.reach, refused.page, refused.status);
                continue;
            }
            if (error == UC_ERR_FETCH_PROT)
                stop_engine("instruction fetch at " + hex(pc) +
                            ", where the registers of a device are, " + executing() + ", core " +
                            std::to_string(number_));
            if (error != UC_ERR_OK)
                stop_engine(std::string("CPU emulator: ") + uc_strerror(error) + ", PC " +
                            where(pc) + ", core " + std::to_string(number_));
            if (!is_wfi(opcode_at(pc_)))
                stop_engine("CPU emulator stopped without a reason, PC " + where(pc) + ", core " +
                            std::to_string(number_));
            sleep_in_wfi();
        }
    }
}

std::string UnicornCore::executing() const {
    return pc_ & 1 ? "the first instruction" : "PC " + where(pc_);
}

void UnicornCore::sleep_in_wfi() {
    // Signalled already, also when masked: WFI does not wait.
    while (time_ >= horizon_)
        yield();
    if (irq_ || fiq_)
        return;
    state_ = loses_power_() ? State::reset : State::wfi;
    yield();
}

// Of a foreign program: one that faults in the first instruction of its handler does so for ever.
void UnicornCore::note_fault(std::uint64_t pc) {
    if (after_fault_ && instructions_ <= after_fault_ + 1)
        stop_engine("the program faults at " + fault_ + ", and again where it handles that, PC " +
                    where(pc) + ", core " + std::to_string(number_));
    fault_ = where(pc) + " (" + named(pc) + ")";
    if (after_request_ && instructions_ <= after_request_ + 1)
        fault_ += ", where it handles " + request_;
    after_fault_ = instructions_;
}

std::string UnicornCore::name_of(std::uint32_t opcode) const {
    return "instruction " + hex(opcode);
}

std::string UnicornCore::named(std::uint64_t pc) const {
    if (!code_at(pc))
        return "where no instruction can be fetched";
    std::uint32_t opcode = opcode_at(pc);
    return opcode ? name_of(opcode) : "zeros, no instruction";
}

void UnicornCore::observe(Observer &observer, bool stores) {
    observer_ = &observer;
    add_hook(UC_HOOK_CODE, reinterpret_cast<void *>(CoreHooks::executes), 1, 0);
    if (stores)
        add_hook(UC_HOOK_MEM_WRITE, reinterpret_cast<void *>(CoreHooks::stores), 1, 0);
}

void UnicornCore::enter(unsigned vector, std::uint64_t return_address, Cause cause) {
    if (observer_ && cause == Cause::fault)
        note_fault(return_address);
    if (observer_ && cause == Cause::request) {
        request_ = named(pc_) + " at " + where(pc_);
        after_request_ = instructions_;
    }
    if (observer_)
        observer_->traps(*this, return_address);
    take(vector, return_address);
    time_ += times_.interrupt_entry * cycle_ / nominal_cycle_;
    pc_ = 1; // the vector's first instruction is never a repetition
    if (timing_)
        timing_->flush(time_);
}

std::uint64_t UnicornCore::read_pc() const {
    std::uint64_t pc = 0;
    uc_reg_read(uc_, model_.pc, &pc);
    return pc;
}

void UnicornCore::write_pc(std::uint64_t pc) { uc_reg_write(uc_, model_.pc, &pc); }

const std::uint8_t *UnicornCore::code_at(std::uint64_t address) const {
    auto page = translate(address, Reach::fetch);
    std::uint64_t offset = address % page_bytes;
    auto size = static_cast<unsigned>(std::min<std::uint64_t>(4, page_bytes - offset));
    return page.allowed ? memory_.at(page.to + offset, size) : nullptr;
}

std::uint32_t UnicornCore::opcode_at(std::uint64_t address) const {
    std::uint32_t opcode = 0;
    auto *to = reinterpret_cast<std::uint8_t *>(&opcode);
    const auto *bytes = code_at(address);
    if (!bytes)
        return 0;
    if (address % page_bytes <= page_bytes - sizeof opcode) {
        std::memcpy(to, bytes, sizeof opcode);
        return opcode;
    }
    std::memcpy(to, bytes, 2); // the second halfword of Thumb code is in the next page
    if (const auto *second = code_at(address + 2))
        std::memcpy(to + 2, second, 2);
    return opcode;
}

std::uint64_t UnicornCore::virtual_of(std::uint64_t physical) const {
    if (mapped_.empty())
        return physical;
    auto found = mapped_.find(physical / page_bytes);
    return found == mapped_.end() ? physical : found->second * page_bytes + physical % page_bytes;
}

// What Unicorn's TLB is to hold of a page. False: translation does not allow the access.
bool UnicornCore::fill(std::uint64_t page, Reach reach, std::uint64_t &to, bool &writable,
                       bool &executable) {
    auto found = translate(page, reach);
    if (!found.allowed && reach == Reach::fetch && looked_at(page)) {
        found = {.to = page & ~(page_bytes - 1)};
    } else if (!found.allowed) {
        refused_ = {reach, page, found.status, instructions_};
        return false;
    }
    to = found.to | page % page_bytes; // Unicorn's own pages may be smaller
    writable = found.writable;
    auto number = to / page_bytes;
    if (page != to)
        mapped_[number] = page / page_bytes;
    else if (!mapped_.empty())
        mapped_.erase(number);
    executable = reach == Reach::fetch || code_pages_.contains(number);
    if (reach == Reach::fetch) {
        // Unicorn may still hold it as a page whose stores change no code.
        if (code_pages_.insert(number).second && data_pages_.contains(number)) {
            flush_wanted_ = true;
            refresh_limit();
        }
    } else if (writable && !executable) {
        data_pages_.insert(number);
    }
    return true;
}

void UnicornCore::dump(std::ostream &out) const {
    constexpr const char *names[] = {"in reset", "running", "waits for a device", "in WFI",
                                     "in `b .`"};
    out << "core " << number_ << ": " << names[static_cast<int>(state_)] << ", time "
        << time_ / per_ns << " ns, PC " << where(pc_) << ", " << instructions_ << " instructions\n";
    if (state_ != State::reset)
        dump_registers(out);
}

} // namespace twin
