// One Cortex-A53 at EL3, executed by Unicorn, in twin time.
//
// `functional` timing: one instruction per cycle. With a Timing object instructions and accesses
// to memory cost what it says. In both, device accesses cost their paths, and DSB waits for the
// core's own device stores. WFE is an immediate wake-up, which the architecture permits.
// Store-exclusive compares values: a location that another core changed and changed back passes.
#pragma once

#include "coroutine.h"
#include "device.h"
#include "events.h"
#include "memory.h"
#include "profile.h"
#include "timing.h"
#include "units.h"

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

struct uc_struct;

namespace twin {

class SystemRegisters;

class Core {
  public:
    enum class State {
        reset,   // held in reset
        running, // wants to execute at time()
        stalled, // DSB waits for a device
        wfi,     // asleep until an interrupt is signalled
        spin,    // in `b .`, until an interrupt is taken; same as executing it
    };

    Core(unsigned number, Memory &memory, EventQueue &events, const Profile &profile,
         const std::vector<Device *> &devices, std::unique_ptr<Timing> timing);
    ~Core();
    Core(const Core &) = delete;
    Core &operator=(const Core &) = delete;

    // Asked at each WFI: whether the core then loses its power (UG1085, "Direct Power Down").
    void attach_power(std::function<bool()> loses) { loses_power_ = std::move(loses); }

    void attach(SystemRegisters &registers) { registers_ = &registers; }

    unsigned number() const { return number_; }
    State state() const { return state_; }
    bool asleep() const { return state_ == State::wfi || state_ == State::spin; }

    // Start of its next instruction; the moment it fell asleep, if it sleeps.
    Time time() const { return time_; }
    std::uint64_t pc() const { return pc_; }
    std::uint64_t instructions() const { return instructions_; }

    // Cycles not spent in WFI, up to the current instruction: what PMCCNTR counts.
    std::uint64_t active_cycles() const;

    // From `time` on a cycle lasts this long; a running core begins at the next edge.
    void set_cycle(Time cycle, Time time);

    // Time spent in WFI up to `now`, and in DSBs that waited for a device.
    Time asleep_until(Time now) const;
    Time stalled() const { return stalled_time_; }

    // Instructions in `code` that use FP registers are trapped as CPTR_EL3.TFP says: Unicorn does
    // not look at it. Before release().
    void trap_fp(const std::vector<Region> &code);

    // Leaves reset at `entry`, EL3h, interrupts masked.
    void release(std::uint64_t entry, Time time);

    // Executes up to `horizon`, exclusive, or until the core yields for another reason.
    // Precondition: running, the earliest of all, and every event up to time() is done.
    void run(Time horizon, bool alone);

    // Something was posted for `time`: the running core must not pass it.
    void lower_horizon(Time time);

    // The interrupt inputs.
    void set_irq(bool level, Time time);
    void set_fiq(bool level, Time time);

    // A device has done a store of this core.
    void store_completed(Time time);

    // From within an access of this core: goes on at `time`, everybody else first.
    void wait_until(Time time);

    // For the reports.
    void dump(std::ostream &out) const;

    // Start of the current instruction, for system register accesses.
    Time issue_time() const { return timing_ ? time_ : time_ - cycle_; }

    // Null: every instruction costs a cycle.
    const Timing *timing() const { return timing_.get(); }

    uc_struct *emulator() const { return uc_; }

  private:
    enum class Stop { none, interrupt, exception };
    struct Window;

    void add_hooks();
    void body();
    void yield();
    bool boundary(std::uint64_t address, Time start);
    void count_instruction(std::uint64_t address);
    void count_after_boundary(std::uint64_t address);
    void time_instruction(std::uint64_t address);
    void time_access(std::uint64_t address, unsigned size, bool store);
    void refresh_limit();
    bool wants_attention() const;
    void sleep_in_wfi();
    void wake(Time time);
    unsigned takeable_vector() const;
    void handle_exception(unsigned number);
    void enter(unsigned vector, std::uint64_t return_address);
    bool emulate_system_instruction(std::uint64_t address);
    std::uint64_t general_register(unsigned index) const;
    std::uint32_t opcode_at(std::uint64_t address) const;
    std::uint64_t load(const Window &window, std::uint64_t offset, unsigned size);
    void store(const Window &window, std::uint64_t offset, unsigned size, std::uint64_t value);
    void check_single_access(const Device &device, const Access &access);

    friend struct CoreHooks;

    unsigned number_;
    EventQueue &events_;
    const Profile &profile_;
    SystemRegisters *registers_ = nullptr;
    std::function<bool()> loses_power_ = [] { return false; };
    uc_struct *uc_ = nullptr;
    std::unique_ptr<Timing> timing_;
    std::vector<std::unique_ptr<Window>> windows_;
    std::unique_ptr<Coroutine> coroutine_;

    State state_ = State::reset;
    Time time_ = 0;
    Time limit_ = 0;   // the hook looks closer from here on
    Time horizon_ = 0; // the core may not execute at or after it
    bool alone_ = false;
    Time waiting_since_ = never; // for what the next instruction needs, until time_
    std::uint64_t pc_ = 1;       // of the current instruction; odd: none
    std::uint64_t instructions_ = 0;
    Time released_ = 0;
    Time wfi_time_ = 0; // spent in reset and in WFI
    Time stalled_time_ = 0;
    Time cycle_ = cpu_cycle;
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

} // namespace twin
