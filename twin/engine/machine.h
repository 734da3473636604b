// The board: devices, cores, and the scheduler that lets them act in the order of twin time.
//
// Rules (conservative look-ahead):
//  1. The PL runs to the earliest time at which a core's next store could reach its pins. A core
//     runs to the earliest time at which an interrupt not yet known could reach it.
//  2. A load from what the PL drives first brings the PL to the time of the sample.
//  3. Accesses to devices happen in the order of time, ties by core number. Shared memory is
//     exact to the turn between cores (profile constant cpu.turn).
//  4. A byte from the host enters only at a link point: when nothing at all can happen without
//     it, or nothing but that one core polls an empty receiver. Until it comes twin time stands
//     still.
#pragma once

#include "a53/model.h"
#include "core.h"
#include "counter.h"
#include "etf.h"
#include "events.h"
#include "faults.h"
#include "funnel.h"
#include "gic.h"
#include "gpio.h"
#include "memory.h"
#include "pl.h"
#include "profile.h"
#include "pty.h"
#include "soc.h"
#include "stm.h"
#include "sysregs.h"
#include "timestamps.h"
#include "trace.h"
#include "uart.h"
#include "variants.h"

#include <atomic>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace twin {

class Machine {
  public:
    struct Settings {
        std::string elf;
        std::string trace;
        std::string markers;
        Pl::Identity identity{};
        bool skipping = true;
        Faults faults{};
        Variants variants{};
        const a53::Parameters *a53 = nullptr; // of that timing model; null: `functional`
    };

    Machine(const Profile &profile, const Settings &settings, Pty &pty,
            const std::atomic<bool> &quit);

    // Until `quit`.
    void run();

    // One JSON object; wall_seconds since the start of run().
    void write_stats(std::ostream &out, double wall_seconds) const;

  private:
    static constexpr unsigned core_count = 4;

    void drive_interrupt(unsigned input, bool level, Time time);
    Core *earliest(const Core *other_than = nullptr) const;
    void step();
    bool polls_for_ever(const Core &core) const;
    void run_core(Core &core);
    void link_point();
    Time now() const;
    void dump(std::ostream &out);

    const Profile &profile_;
    const Faults faults_;
    const Variants variants_;
    Pty &pty_;
    const std::atomic<bool> &quit_;
    EventQueue events_;
    Memory memory_;
    Trace trace_;
    MarkerLog markers_;
    Gic gic_;
    Uart uart_;
    Pl pl_;
    Gpio gpio_;
    SystemCounter counter_;
    ControlRegisters control_;
    Timestamps timestamps_;
    Funnel funnel_;
    Etf etf_;
    Stm stm_;
    StimulusPorts ports_;
    std::unique_ptr<a53::Board> timing_;
    std::vector<std::unique_ptr<Core>> cores_;
    std::vector<std::unique_ptr<SystemRegisters>> registers_;
    Core *running_ = nullptr;
    Time next_flush_ = 0;
    Time wire_free_ = 0; // the host's last byte is over
};

} // namespace twin
