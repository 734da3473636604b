// An Armv7-M core whose instructions Unicorn executes, in twin time. Unicorn has neither NVIC nor
// exceptions of this profile: entry, return, stacks and priorities are here.
//
// Exceptions are taken between two instructions. One of several cycles that the core interrupts and
// continues (LDM, STM, PUSH, POP) or begins again (divisions) has done its work by then; the cycles
// that were left are spent after the return.
#pragma once

#include "core/core.h"
#include "core/coroutine.h"
#include "core/events.h"
#include "core/memory.h"
#include "cpu/armv7m/clock.h"
#include "cpu/armv7m/nvic.h"
#include "cpu/armv7m/system_control.h"
#include "cpu/armv7m/timing.h"
#include "cpu/thumb.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct uc_struct;

namespace twin::armv7m {

// The parts of a chip around the core.
struct Surroundings {
    // Ranges of addresses that are devices, and how they are reached. `at`: twin time. No value if
    // it does not exist.
    std::vector<Memory::Part> devices;
    std::function<std::optional<std::uint32_t>(std::uint32_t address, unsigned size, Time at)> load;
    std::function<bool(std::uint32_t address, unsigned size, std::uint32_t value, Time at)> store;
    // The clocks stop. Returns whether they do; the chip calls wake_deeply().
    std::function<bool()> stop_clocks;
    // The program asks for a reset.
    std::function<void()> reset;
    // A line for the log.
    std::function<void(const std::string &)> note;
    // Memory at more than one place: base of the copy, and of the original.
    struct Alias {
        std::uint64_t base, of, size;
    };
    std::vector<Alias> aliases;
    std::uint32_t vectors = 0; // address of the vector table at reset
    unsigned interrupts = 0, priority_bits = 0;
    unsigned tick_reference = 1; // cycles of the core in one of SysTick's reference
    bool bit_banding = true, has_fpu = true;
};

class Core : public twin::Core {
  public:
    Core(const Memory &memory, EventQueue &events, const Clock &clock, Surroundings surroundings,
         std::unique_ptr<Timing> timing);
    ~Core() override;

    // Leaves reset: SP and PC come from the vector table.
    void start(Time time);

    Nvic &nvic() { return nvic_; }
    const Nvic &nvic() const { return nvic_; }
    SystemControl &control() { return control_; }
    const Timing &timing() const { return *timing_; }

    // The clock changes now, in the store that changes it or while the core is asleep.
    void set_hz(std::uint64_t hz);
    std::uint64_t hz() const { return clock_.hz(); }
    // Out of deep sleep: the clock runs from `time` on.
    void wake_deeply(std::uint64_t hz, Time time);
    // What has happened ends the sleep that it is in, also a deep one.
    bool can_wake() const { return wakes() || (waits_for_event_ && event_); }
    // Something that a sleep may end with has happened: an interrupt pends, or an event came.
    void notice(Time time);
    void set_event(Time time);

    // Time of the access that is under way, or of the current instruction.
    Time now() const { return clock_.time_of(access_cycle_); }
    std::uint32_t pc() const { return pc_; }
    // It executes, and is not asleep or in reset.
    bool runs() const { return state_ == State::running; }
    // Schedules `action` for the begin of this cycle, replacing the same owner's earlier one.
    void call_at(const void *owner, std::uint64_t cycle, std::function<void()> action);
    void forget(const void *owner) { alarms_.erase(owner); }
    Time time_of_cycle(std::uint64_t cycle) const { return clock_.time_of(cycle); }
    std::uint64_t cycle_now() const { return access_cycle_; }
    std::uint64_t cycle_at(Time time) const { return clock_.cycle_at(time); }

    Masks masks() const;
    // Description of a fault that the program does not handle, or empty.
    const std::string &first_hard_fault() const { return hard_fault_; }

    Time asleep_until(Time now) const override;
    Time stalled() const override { return 0; }
    void run(Time horizon, bool alone) override;
    void lower_horizon(Time time) override;
    void wait_until(Time time) override;
    void dump(std::ostream &out) const override;
    void observe(Observer &observer, bool stores) override;
    bool masks_irq() const override;
    CallChain::Instruction instruction(std::uint64_t pc) const override;
    bool is_zero(std::uint64_t pc) const override;
    std::uint64_t stack_pointer() const override;

  private:
    enum class Stop { none, exception, left, fault, skipped };

    void hook(int type, void *callback);
    void body();
    void step(std::uint32_t pc);
    void issue(std::uint32_t pc);
    void end_current(std::uint32_t next);
    bool boundary(bool stops);
    const thumb::Instruction &decoded(std::uint32_t pc);
    void forget_condition();
    void note_flash(std::uint32_t address);
    bool condition_holds(const thumb::Instruction &it);
    void wait_or_send(const thumb::Instruction &it);
    std::uint32_t divisor(const thumb::Instruction &it) const;
    void sleep(bool for_event);
    bool wakes() const;
    void end_sleep(Time time);
    void take(unsigned exception);
    void go_to(unsigned exception, std::uint32_t link);
    void leave(std::uint32_t code);
    void restore(std::uint32_t code, std::uint32_t frame, bool floating);
    void clear_exclusive();
    bool use_floating();
    void save_floating();
    void intercept(std::uint32_t number);
    void call_supervisor();
    void raise(unsigned exception, std::uint32_t configurable, std::uint32_t address,
               const std::string &what);
    void fault_now(unsigned exception, std::uint32_t configurable, std::uint32_t address,
                   const std::string &what);
    void raise_return(unsigned number, std::uint32_t code);
    void take_fault();
    std::uint32_t handler_of(unsigned exception) const;
    void advance(std::uint64_t cycle);
    void refresh_limit();
    void stop_emulation(Stop why);

    std::uint32_t read(int reg) const;
    void write(int reg, std::uint32_t value) const;
    std::uint32_t word(std::uint32_t address) const;
    void set_word(std::uint32_t address, std::uint32_t value);
    void copy(std::uint32_t address, void *to, std::size_t bytes) const;
    bool is_memory(std::uint32_t address, std::uint32_t bytes) const;

    std::uint64_t load_device(std::uint32_t address, unsigned size);
    void store_device(std::uint32_t address, unsigned size, std::uint32_t value);
    std::uint32_t load_system(std::uint32_t address, unsigned size);
    void store_system(std::uint32_t address, unsigned size, std::uint32_t value);
    std::uint32_t load_bit(std::uint32_t address);
    void store_bit(std::uint32_t address, std::uint32_t value);
    void post(const void *owner);
    void post_all();

    friend struct Hooks;
    friend struct DeviceWindow;

    const Memory &memory_;
    EventQueue &events_;
    Clock clock_;
    const Surroundings around_;
    std::unique_ptr<Timing> timing_;
    Nvic nvic_;
    SystemControl control_;
    uc_struct *uc_ = nullptr;
    std::unique_ptr<Coroutine> coroutine_;
    Observer *observer_ = nullptr;
    bool observes_stores_ = false, stored_to_flash_ = false;

    struct Known {
        std::uint32_t pc = 1; // odd: none
        std::uint32_t code = 0;
        thumb::Instruction it;
    };
    std::vector<Known> known_;

    // ---- time ----
    bool executes_ = false; // else the time is that of an event, which may be before cycle_
    Time limit_ = 0, horizon_ = 0;
    std::uint64_t cycle_ = 0;        // the current instruction began, or the next one can begin
    std::uint64_t access_cycle_ = 0; // of the operation in progress
    std::uint64_t asleep_ = 0;       // cycles
    Time asleep_time_ = 0, slept_since_ = 0;
    bool deep_ = false; // asleep, and its clock stands still
    bool waits_for_event_ = false;
    struct Alarm {
        std::uint64_t cycle, number;
        std::function<void()> action;
    };
    std::map<const void *, Alarm> alarms_;
    std::uint64_t alarm_number_ = 0;
    std::uint64_t interruptible_since_ = 0; // an exception could be taken from then on to cycle_
    bool waits_ = false;                    // for the instruction to be fetched
    bool restarts_ = false;                 // the interrupted instruction begins again
    std::uint64_t owed_ = 0;                // cycles of an instruction that is interrupted
    std::vector<std::uint64_t> owed_below_; // the same of what handlers return to

    // ---- execution ----
    std::uint32_t pc_ = 1;                        // of the current instruction; odd: none
    std::uint32_t next_ = 0;                      // where emulation goes on
    const thumb::Instruction *current_ = nullptr; // that has begun: current_it_
    thumb::Instruction current_it_;
    std::uint32_t if_then_ = 0, began_if_then_ = 0; // ITSTATE of the next one, and of the current
    Stop stop_ = Stop::none;
    bool clearing_ = false, cleared_ = false; // the exclusive monitor
    unsigned taken_ = 0;                      // exception to be taken,
    std::uint64_t arrival_ = 0;               // which came in this cycle
    bool came_ = false;                       // one that could be taken, in this cycle:
    std::uint64_t came_at_ = 0;
    std::uint32_t left_ = 0; // EXC_RETURN
    bool event_ = false;     // the event register
    bool entering_ = false;  // an exception, and nothing of its handler is executed
    std::uint64_t entry_began_ = 0;
    unsigned pending_fault_ = 0; // by an access, before the next instruction
    std::uint32_t pending_status_ = 0, pending_address_ = 0;
    std::string pending_what_, hard_fault_, last_fault_;
};

} // namespace twin::armv7m
