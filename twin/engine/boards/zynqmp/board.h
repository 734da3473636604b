// The ZCU102: four Cortex-A53, GIC-400, the PS's devices, and the gateware in its EMIO shell.
#pragma once

#include "boards/zynqmp/control.h"
#include "boards/zynqmp/faults.h"
#include "boards/zynqmp/ipi.h"
#include "boards/zynqmp/profile.h"
#include "boards/zynqmp/variants.h"
#include "core/board.h"
#include "core/markers.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/pty.h"
#include "core/trace.h"
#include "cpu/a64/core.h"
#include "cpu/a64/system_registers.h"
#include "devices/counter.h"
#include "devices/etf.h"
#include "devices/funnel.h"
#include "devices/gic.h"
#include "devices/gpio.h"
#include "devices/register_file.h"
#include "devices/stimulus_ports.h"
#include "devices/stm.h"
#include "devices/timestamps.h"
#include "devices/ttc.h"
#include "devices/uart.h"
#include "shells/pins.h"
#include "timing/a53/model.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace twin::zynqmp {

class ZynqMp : public Board {
  public:
    // `pty` is the other end of the UART's line.
    ZynqMp(const BoardOptions &options, Pty &pty, const std::atomic<bool> &quit);

    EventQueue &events() override { return events_; }
    Gateware &gateware() override { return gateware_; }
    SerialPort &serial() override { return uart_; }
    const std::vector<Core *> &cores() override { return every_core_; }
    LookAhead look_ahead() const override;
    void start(Time time) override;
    void drive_line(unsigned line, bool level, Time time) override;
    bool masks_line(unsigned line) const override;
    std::optional<unsigned> line_for(unsigned core) const override;
    std::string about_line(unsigned line) const override;
    void flush() override;
    void write_stats(std::ostream &out, unsigned core) const override;

  private:
    // The command line's values, in the order in which they are applied.
    struct Told {
        explicit Told(const BoardOptions &options);

        Profile profile;
        std::optional<a53::Parameters> a53; // of that timing model; none: `functional`
        Faults faults;
        Variants variants;
    };

    Gateware::Wiring gateware_wiring(const BoardOptions &options);
    UartPlace uart_place(unsigned number) const;
    Uart::Wiring uart_wiring(unsigned number, const BoardOptions &options, Pty &pty);
    void add_core(unsigned number, const std::vector<Device *> &devices);
    void add_timers();
    void begin(const ProgramOptions &program);
    void drive_interrupt(unsigned input, bool level, Time time);

    const Told told_;
    const Profile &profile_ = told_.profile;
    const Faults &faults_ = told_.faults;
    const Variants &variants_ = told_.variants;
    const unsigned link_; // number of the UART
    EventQueue events_;
    Memory memory_;
    std::uint64_t entry_ = 0;
    bool runs_ = true;
    Trace trace_;
    MarkerLog markers_;
    Gic gic_;
    Uart uart_;
    std::optional<Uart> second_uart_; // of a foreign program
    Gateware gateware_;
    EmioPins emio_;
    Gpio gpio_;
    SystemCounter counter_;
    ControlRegisters control_;
    Ipi ipi_;
    RegisterFile interconnect_;
    DebugBus debug_;
    Timestamps timestamps_;
    Funnel funnel_;
    Etf etf_;
    Stm stm_;
    StimulusPorts ports_;
    std::vector<std::unique_ptr<Ttc>> ttcs_;
    std::vector<std::unique_ptr<RegisterFile>> register_files_;
    std::optional<a53::Cluster> timing_;
    std::vector<std::unique_ptr<a64::Core>> cores_;
    std::vector<Core *> every_core_;
    std::vector<std::unique_ptr<a64::SystemRegisters>> registers_;
};

} // namespace twin::zynqmp
