// A core whose instructions Unicorn executes, in twin time; their meaning is in cpu/<set>.
//
// `functional` timing: one instruction per cycle. With a Timing object instructions and accesses
// to memory cost what it says. In both, device accesses cost their paths, and a barrier waits for
// the core's own device stores. WFE is an immediate wake-up, which the architecture permits.
// Translation is the engine's own: Unicorn asks for each page that its TLB lacks, and a page of
// memory is executable for it from its first fetch on, because stores to such a page are slow.
// Store-exclusive compares values: a location that another core changed and changed back passes.
#pragma once

#include "core/core.h"
#include "core/coroutine.h"
#include "core/device.h"
#include "core/events.h"
#include "core/memory.h"
#include "cpu/timing.h"
#include "cpu/translation.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct uc_struct;

namespace twin {

// At the clock's nominal cycle; with a longer one they are as much longer.
struct CoreTimes {
    Time interrupt_entry = 0; // interrupt recognised -> first vector instruction
    Time wfi_wake = 0;        // wake-up event -> next instruction
};

class UnicornCore : public Core {
  public:
    ~UnicornCore() override;

    // Asked at each WFI: whether the core then loses its power.
    void attach_power(std::function<bool()> loses) { loses_power_ = std::move(loses); }

    // From `time` on a cycle lasts this long; a running core begins at the next edge.
    void set_cycle(Time cycle, Time time);

    // Cycles not spent in WFI, up to the current instruction.
    std::uint64_t active_cycles() const;

    // Cycles of the nominal clock since time 0.
    std::uint64_t nominal_cycles() const { return issue_time() / nominal_cycle_; }

    // Leaves reset at `entry`, in the state that the architecture says, interrupts masked.
    void release(std::uint64_t entry, Time time);

    // The interrupt inputs.
    void set_irq(bool level, Time time);
    void set_fiq(bool level, Time time);

    // Start of the current instruction, for accesses to registers of the system.
    Time issue_time() const { return timing_ ? time_ : time_ - cycle_; }
    std::uint64_t pc() const { return pc_; }

    // Start of the current instruction, whatever its operands cost.
    Time issued() const { return timing_ ? issued_ : time_ - cycle_; }

    // Null: every instruction costs a cycle.
    const Timing *timing() const { return timing_.get(); }

    uc_struct *emulator() const { return uc_; }

    bool irq() const { return irq_; }
    bool fiq() const { return fiq_; }

    // Called for each page that the board has nothing at: why, for the report; empty: nothing to
    // say.
    void attach_nowhere(std::function<std::string(std::uint64_t)> nowhere) {
        nowhere_ = std::move(nowhere);
    }

    Time asleep_until(Time now) const override;
    Time stalled() const override { return stalled_time_; }
    void run(Time horizon, bool alone) override;
    void lower_horizon(Time time) override;
    void wait_until(Time time) override;
    void dump(std::ostream &out) const override;
    void observe(Observer &observer, bool stores) override;

    CallChain::Instruction instruction(std::uint64_t pc) const override {
        return {pc, instruction_bytes(pc), flow_of(opcode_at(pc))};
    }

    bool is_zero(std::uint64_t pc) const override { return opcode_at(pc) == 0; }

  protected:
    // What UnicornCore asks of Unicorn.
    struct Model {
        int architecture, mode, cpu;
        int pc;          // Unicorn's register
        void *code_hook; // for UC_HOOK_CODE; it calls next() first
    };
    static constexpr unsigned no_vector = ~0u;

    UnicornCore(unsigned number, const Model &model, Memory &memory, EventQueue &events,
                const CoreTimes &times, Time nominal_cycle, const std::vector<Device *> &devices,
                std::unique_ptr<Timing> timing);

    // ---- what the instruction set decides ----
    // The state in which the core leaves reset, but for its PC.
    virtual void reset_state() = 0;
    // The vector that an interrupt would take now, or no_vector.
    virtual unsigned takeable_vector() const = 0;
    // Takes it: the state that its first instruction finds, PC included.
    virtual void take(unsigned vector, std::uint64_t return_address) = 0;
    // Called for UC_HOOK_INTR, and for what an own hook raises by raise().
    virtual void handle_exception(unsigned number) = 0;
    // Called for an access that translation does not allow.
    virtual void handle_abort(Reach reach, std::uint64_t page, std::uint32_t status) = 0;
    // What translation makes of the page that `address` is in, now.
    virtual Translation translate(std::uint64_t address, Reach reach) const = 0;
    // Whether accesses are made from the secure state.
    virtual bool is_secure() const { return true; }
    virtual Flow flow_of(std::uint32_t opcode) const = 0;
    virtual unsigned instruction_bytes(std::uint64_t) const { return 4; }
    // What a message calls an instruction that trapped.
    virtual std::string name_of(std::uint32_t opcode) const;
    virtual bool is_wfi(std::uint32_t opcode) const = 0;
    virtual bool is_branch_to_self(std::uint32_t opcode) const = 0;
    virtual bool is_barrier(std::uint32_t opcode) const = 0; // waits for stores to devices
    virtual std::uint64_t general_register(unsigned index) const = 0;
    virtual void dump_registers(std::ostream &out) const = 0;
    // What Unicorn is told to begin at: the PC, with whatever else it takes from there.
    virtual std::uint64_t start_address() const { return read_pc(); }
    // Called first in each callback for an access to memory or to a device.
    virtual void begin_access() {}

    // ---- for it ----
    // Hooks must be there before the first instruction: code translated without them keeps running
    // without them. `instruction`: of UC_HOOK_INSN.
    void add_hook(int type, void *callback, std::uint64_t first, std::uint64_t last,
                  int instruction = 0);
    // Ends the emulation in front of the current instruction for an exception, unless it ends
    // already.
    void raise(unsigned exception);
    bool ends() const { return stop_ != Stop::none; }
    // The instruction at `address` is next: counts or times it. False: it is not executed now.
    bool next(std::uint64_t address) {
        return timing_ ? time_instruction(address) : count_instruction(address);
    }
    // The same for an instruction that has no code hook, since its condition does not hold.
    void pass_by(std::uint64_t address);
    // Goes to a vector, at the cost of an entry. `fault`: the instruction at `return_address`
    // cannot be executed; one that is the first of the handler of such a fault will never be.
    enum class Cause { interrupt, request, fault };
    void enter(unsigned vector, std::uint64_t return_address, Cause cause);
    // A write to a register of the system may have unmasked something.
    void refresh_limit() { limit_ = wants_attention() ? 0 : horizon_; }
    std::uint64_t read_pc() const;
    void write_pc(std::uint64_t pc);
    std::uint32_t opcode_at(std::uint64_t address) const;
    // The bytes of memory at an address of code, up to the end of its page, or null.
    const std::uint8_t *code_at(std::uint64_t address) const;
    // An address of the program for a physical one that it has reached.
    std::uint64_t virtual_of(std::uint64_t physical) const;
    const Memory &memory() const { return memory_; }
    Timing *costs() { return timing_.get(); }
    // The next instruction issues at `time` or later.
    void continue_at(Time time) { time_ = time; }

  private:
    enum class Stop { none, interrupt, exception };

    // A page of a device as this core sees it.
    struct Window {
        UnicornCore *core;
        Device *device;
        std::uint64_t base;
    };

    void body();
    void yield() { coroutine_->yield(); }
    bool boundary(std::uint64_t address, Time start);
    bool count_instruction(std::uint64_t address);
    bool count_after_boundary(std::uint64_t address);
    bool time_instruction(std::uint64_t address);
    bool wants_attention() const { return irq_ || fiq_ || stores_in_flight_ || flush_wanted_; }
    void sleep_in_wfi();
    std::string executing() const; // "PC 0x80000124 (main+0x24)", or "the first instruction"
    void note_fault(std::uint64_t pc);
    std::string named(std::uint64_t pc) const;
    bool fill(std::uint64_t page, Reach reach, std::uint64_t &to, bool &writable, bool &executable);
    void wake(Time time);
    void map(Device &device);
    std::uint64_t load(const Window &window, std::uint64_t offset, unsigned size);
    void store(const Window &window, std::uint64_t offset, unsigned size, std::uint64_t value);
    void store_completed(Time time);
    void check_single_access(const Device &device, const Access &access);
    Access access_of(const Window &window, std::uint64_t offset, unsigned size, bool is_store);

    friend struct CoreHooks;
    friend struct DeviceHooks;

    const Model model_;
    const Memory &memory_;
    EventQueue &events_;
    const CoreTimes &times_;
    const Time nominal_cycle_;
    std::function<bool()> loses_power_ = [] { return false; };
    uc_struct *uc_ = nullptr;
    std::unique_ptr<Timing> timing_;
    std::vector<std::unique_ptr<Window>> windows_;
    std::unique_ptr<Coroutine> coroutine_;

    Observer *observer_ = nullptr;
    std::function<std::string(std::uint64_t)> nowhere_ = [](std::uint64_t) { return ""; };

    // Physical pages by number: of memory that have been fetched from, and others that stores have
    // reached; and pages of the program by those that they are mapped to elsewhere.
    std::unordered_set<std::uint64_t> code_pages_, data_pages_;
    std::unordered_map<std::uint64_t, std::uint64_t> mapped_;
    // The last access that translation did not allow, until it has become an abort.
    struct Refused {
        Reach reach;
        std::uint64_t page;
        std::uint32_t status;
        std::uint64_t instruction; // how many had been executed
    };
    std::optional<Refused> refused_;
    bool flush_wanted_ = false;
    std::string fault_, request_;     // the last of each, as a message names it
    std::uint64_t after_fault_ = 0;   // instructions executed by then
    std::uint64_t after_request_ = 0; // the same

    Time limit_ = 0;   // the hook looks closer from here on
    Time horizon_ = 0; // the core may not execute at or after it
    bool alone_ = false;
    Time waiting_since_ = never; // operands of the next instruction, until time_
    Time issued_ = 0;            // with a Timing object: the current instruction
    std::uint64_t pc_ = 1;       // of the current instruction; odd: none
    Time released_ = 0;
    Time wfi_time_ = 0; // spent in reset and in WFI
    Time stalled_time_ = 0;
    Time cycle_;
    std::uint64_t cycles_before_ = 0; // of other lengths
    Time active_before_ = 0;          // the time they took

    bool irq_ = false;
    bool fiq_ = false;
    unsigned stores_in_flight_ = 0;

    Stop stop_ = Stop::none;
    unsigned vector_ = 0;
    unsigned exception_ = 0;

    std::uint64_t next_tlb_flush_;
    std::uint64_t last_access_instruction_ = ~std::uint64_t{0};
};

// Called for each instruction, so it has to be inline.
inline bool UnicornCore::count_instruction(std::uint64_t address) {
    if (time_ >= limit_ || address == pc_) [[unlikely]]
        return count_after_boundary(address);
    pc_ = address;
    time_ += cycle_;
    ++instructions_;
    return true;
}

} // namespace twin
