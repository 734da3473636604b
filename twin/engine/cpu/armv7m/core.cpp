#include "cpu/armv7m/core.h"

#include "cpu/armv7m/bits.h"
#include "cpu/armv7m/hidden_page.h"
#include "cpu/armv7m/ranges.h"
#include "cpu/armv7m/window.h"

#include "core/observer.h"
#include "core/stop.h"

#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstring>

namespace twin::armv7m {

namespace {

constexpr std::size_t decoded_entries = 1 << 15;

} // namespace

// Unicorn's callbacks.
struct Hooks {
    static Core *core(void *user) { return static_cast<Core *>(user); }

    static void code(uc_engine *, std::uint64_t address, std::uint32_t, void *user) {
        core(user)->step(static_cast<std::uint32_t>(address));
    }
    static void access(uc_engine *, uc_mem_type type, std::uint64_t address, int size, std::int64_t,
                       void *user) {
        auto *it = core(user);
        it->forget_condition();
        bool store = type == UC_MEM_WRITE;
        if (store)
            it->note_flash(static_cast<std::uint32_t>(address));
        auto bytes = static_cast<unsigned>(size);
        if (store && it->observes_stores_)
            it->observer_->stores(*it, address, bytes, it->clock_.time_of(it->cycle_));
        it->access_cycle_ = it->timing_->access(static_cast<std::uint32_t>(address), bytes, store);
        bool several = it->current_ && (it->current_->multiple || it->current_->words > 1);
        if ((address & (bytes - 1)) && (it->control_.traps_unaligned() || several))
            it->raise(usage_fault, fault::unaligned, 0, "an access that is not aligned");
    }
    static bool unmapped(uc_engine *, uc_mem_type type, std::uint64_t address, int, std::int64_t,
                         void *user) {
        auto *it = core(user);
        auto at = static_cast<std::uint32_t>(address);
        if (type == UC_MEM_FETCH_UNMAPPED)
            it->fault_now(bus_fault, fault::instruction_bus, 0, "a jump to where no memory is");
        else
            it->fault_now(bus_fault, fault::precise | fault::bus_address_valid, at,
                          type == UC_MEM_WRITE_UNMAPPED ? "a store to where nothing is"
                                                        : "a load from where nothing is");
        return false;
    }
    static void interrupt(uc_engine *, std::uint32_t number, void *user) {
        core(user)->intercept(number);
    }
    static bool undefined(uc_engine *, void *user) {
        if (!(core(user)->read(UC_ARM_REG_XPSR) & thumb_bit))
            core(user)->fault_now(usage_fault, fault::invalid_state, 0,
                                  "a jump to an address without bit 0");
        else
            core(user)->fault_now(usage_fault, fault::undefined, 0, "an undefined instruction");
        return false;
    }

    template <std::uint32_t base>
    static std::uint64_t load_system(uc_engine *, std::uint64_t offset, unsigned size, void *user) {
        return core(user)->load_system(base + static_cast<std::uint32_t>(offset), size);
    }
    template <std::uint32_t base>
    static void store_system(uc_engine *, std::uint64_t offset, unsigned size, std::uint64_t value,
                             void *user) {
        core(user)->store_system(base + static_cast<std::uint32_t>(offset), size,
                                 static_cast<std::uint32_t>(value));
    }
    template <std::uint32_t base>
    static std::uint64_t load_bit(uc_engine *, std::uint64_t offset, unsigned, void *user) {
        return core(user)->load_bit(base + static_cast<std::uint32_t>(offset));
    }
    template <std::uint32_t base>
    static void store_bit(uc_engine *, std::uint64_t offset, unsigned, std::uint64_t value,
                          void *user) {
        core(user)->store_bit(base + static_cast<std::uint32_t>(offset),
                              static_cast<std::uint32_t>(value));
    }
};

Core::Core(const Memory &memory, EventQueue &events, const Clock &clock, Surroundings surroundings,
           std::unique_ptr<Timing> timing)
    : twin::Core(0), memory_(memory), events_(events), clock_(clock),
      around_(std::move(surroundings)), timing_(std::move(timing)),
      nvic_(around_.interrupts, around_.priority_bits),
      control_(nvic_, around_.tick_reference, around_.vectors,
               {[this] { return access_cycle_; }, [this] { return access_cycle_ - asleep_; },
                [this](std::uint64_t cycle) {
                    call_at(&control_, cycle, [this, cycle] { control_.tick.expire(cycle); });
                },
                [this] { return masks(); },
                [this] { return read(UC_ARM_REG_XPSR) & exception_mask; }, around_.note,
                around_.reset}),
      known_(decoded_entries) {
    auto check = [](uc_err error, const char *what) {
        if (error != UC_ERR_OK)
            refuse(std::string(what) + ": " + uc_strerror(error));
    };
    check(uc_open(UC_ARCH_ARM, static_cast<uc_mode>(UC_MODE_THUMB | UC_MODE_MCLASS), &uc_),
          "CPU emulator");
    check(uc_ctl_set_cpu_model(uc_, UC_CPU_ARM_CORTEX_M4), "CPU model");
    for (const auto &region : memory.regions())
        check(uc_mem_map_ptr(uc_, region.base, region.size, UC_PROT_ALL, region.bytes), "memory");
    for (const auto &alias : around_.aliases)
        check(uc_mem_map_ptr(uc_, alias.base, alias.size, UC_PROT_ALL,
                             memory.at(alias.of, alias.size)),
              "memory");
    check(uc_mem_map(uc_, hidden_page, 0x1000, UC_PROT_ALL), "memory");
    check(uc_mem_write(uc_, hidden_page, clrex, sizeof clrex), "memory");
    check(uc_mmio_map(uc_, system_base, system_size, Hooks::load_system<system_base>, this,
                      Hooks::store_system<system_base>, this),
          "system control space");
    if (around_.bit_banding) {
        check(uc_mmio_map(uc_, memory_bits, bits_size, Hooks::load_bit<memory_bits>, this,
                          Hooks::store_bit<memory_bits>, this),
              "bits of memory");
        check(uc_mmio_map(uc_, device_bits, bits_size, Hooks::load_bit<device_bits>, this,
                          Hooks::store_bit<device_bits>, this),
              "bits of devices");
    }
    for (const auto &part : around_.devices) {
        auto base = static_cast<std::uint32_t>(part.base);
        auto *window = new DeviceWindow{this, base}; // lives as we do
        check(uc_mmio_map(uc_, base, part.size, DeviceWindow::load, window, DeviceWindow::store,
                          window),
              "devices");
    }
    hook(UC_HOOK_CODE, reinterpret_cast<void *>(Hooks::code));
    hook(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, reinterpret_cast<void *>(Hooks::access));
    hook(UC_HOOK_INTR, reinterpret_cast<void *>(Hooks::interrupt));
    hook(UC_HOOK_INSN_INVALID, reinterpret_cast<void *>(Hooks::undefined));
    hook(UC_HOOK_MEM_UNMAPPED, reinterpret_cast<void *>(Hooks::unmapped));
    nvic_.attach([this] { notice(executes_ ? std::max(now(), events_.now()) : events_.now()); },
                 [this] { event_ = event_ || control_.events_by_pending(); });
}

Core::~Core() {
    if (uc_)
        uc_close(uc_);
}

void Core::hook(int type, void *callback) {
    uc_hook made;
    if (uc_err error = uc_hook_add(uc_, &made, type, callback, this, 1, 0))
        refuse(std::string("CPU hooks: ") + uc_strerror(error));
}

std::uint32_t Core::read(int reg) const {
    std::uint32_t value = 0;
    uc_reg_read(uc_, reg, &value);
    return value;
}

void Core::write(int reg, std::uint32_t value) const { uc_reg_write(uc_, reg, &value); }

void Core::copy(std::uint32_t address, void *to, std::size_t bytes) const {
    std::uint64_t from = address;
    for (const auto &alias : around_.aliases)
        if (from - alias.base < alias.size)
            from = from - alias.base + alias.of;
    const std::uint8_t *found = memory_.at(from, bytes);
    if (found)
        std::memcpy(to, found, bytes);
    else
        std::memset(to, 0, bytes);
}

bool Core::is_memory(std::uint32_t address, std::uint32_t bytes) const {
    return memory_.at(address, bytes) != nullptr;
}

std::uint32_t Core::word(std::uint32_t address) const {
    std::uint32_t value;
    copy(address, &value, sizeof value);
    return value;
}

void Core::set_word(std::uint32_t address, std::uint32_t value) {
    if (std::uint8_t *to = memory_.at(address, sizeof value))
        std::memcpy(to, &value, sizeof value);
}

const thumb::Instruction &Core::decoded(std::uint32_t pc) {
    std::uint32_t code;
    copy(pc, &code, sizeof code);
    auto &known = known_[pc / 2 % decoded_entries];
    if (known.pc != pc || known.code != code)
        known = {pc, code,
                 thumb::decode(static_cast<std::uint16_t>(code),
                               static_cast<std::uint16_t>(code >> 16))};
    return known.it;
}

Masks Core::masks() const {
    return {(read(UC_ARM_REG_PRIMASK) & 1) != 0, (read(UC_ARM_REG_FAULTMASK) & 1) != 0,
            read(UC_ARM_REG_BASEPRI) & 0xFF};
}

bool Core::masks_irq() const {
    Masks found = masks();
    return found.primask || found.faultmask;
}

std::uint64_t Core::stack_pointer() const { return read(UC_ARM_REG_SP); }

// A return by EXC_RETURN is one from an exception.
bool Core::is_zero(std::uint64_t pc) const {
    std::uint16_t code = 0;
    copy(static_cast<std::uint32_t>(pc), &code, sizeof code);
    return code == 0;
}

CallChain::Instruction Core::instruction(std::uint64_t pc) const {
    std::uint32_t code;
    copy(static_cast<std::uint32_t>(pc), &code, sizeof code);
    auto it =
        thumb::decode(static_cast<std::uint16_t>(code), static_cast<std::uint16_t>(code >> 16));
    Flow flow = thumb::flow(it);
    bool in_handler = (read(UC_ARM_REG_XPSR) & exception_mask) != 0;
    if (in_handler && it.kind == thumb::Kind::ret) {
        std::uint32_t stack = read(UC_ARM_REG_SP);
        std::uint32_t to = it.base == 13 ? word(stack + 4 * (it.words - 1u)) : read(UC_ARM_REG_LR);
        if (to >= 0xFFFFFFE0)
            flow = Flow::from_trap;
    } else if (in_handler && it.kind == thumb::Kind::branch_to && it.size == 2) {
        int reg = UC_ARM_REG_R0 + static_cast<int>(it.opcode >> 3 & 15);
        if ((it.opcode >> 3 & 15) < 13 && read(reg) >= 0xFFFFFFE0)
            flow = Flow::from_trap;
    }
    return {pc, it.size, flow};
}

void Core::dump(std::ostream &out) const {
    out << "core: " << (state_ == State::wfi ? "asleep" : "running") << ", time " << time_ / per_ns
        << " ns, cycle " << cycle_ << " at " << clock_.hz() / 1000 << " kHz, PC " << where(pc_)
        << ", " << instructions_ << " instructions\n";
    constexpr int registers[] = {UC_ARM_REG_R0,  UC_ARM_REG_R1, UC_ARM_REG_R2,  UC_ARM_REG_R3,
                                 UC_ARM_REG_R4,  UC_ARM_REG_R5, UC_ARM_REG_R6,  UC_ARM_REG_R7,
                                 UC_ARM_REG_R8,  UC_ARM_REG_R9, UC_ARM_REG_R10, UC_ARM_REG_R11,
                                 UC_ARM_REG_R12, UC_ARM_REG_SP, UC_ARM_REG_LR};
    unsigned n = 0;
    for (int reg : registers) {
        out << "  r" << n << "=" << hex(read(reg)) << (n % 4 == 3 || n == 14 ? "\n" : "");
        ++n;
    }
    Masks found = masks();
    out << "  xpsr=" << hex(read(UC_ARM_REG_XPSR)) << "  control=" << hex(read(UC_ARM_REG_CONTROL))
        << "  primask=" << found.primask << "  basepri=" << hex(found.basepri)
        << "  cfsr=" << hex(control_.configurable_fault())
        << "  hfsr=" << hex(control_.hard_fault_status()) << "\n";
}

} // namespace twin::armv7m
