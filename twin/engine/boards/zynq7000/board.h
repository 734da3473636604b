// A ZedBoard: two Cortex-A9 in a Zynq-7000, their GIC, L2C-310, the PS's devices, and the gateware
// in its EMIO shell.
#pragma once

#include "boards/faults.h"
#include "boards/zynq7000/control.h"
#include "boards/zynq7000/l2_effects.h"
#include "boards/zynq7000/profile.h"
#include "core/board.h"
#include "core/markers.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/pty.h"
#include "core/trace.h"
#include "cpu/a32/coprocessor.h"
#include "cpu/a32/core.h"
#include "devices/gic.h"
#include "devices/gpio.h"
#include "devices/l2c310.h"
#include "devices/mpcore.h"
#include "devices/register_file.h"
#include "devices/ttc.h"
#include "devices/uart.h"
#include "shells/pins.h"
#include "timing/a9/model.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace twin::zynq7000 {

class Zynq7000 : public Board {
  public:
    // `pty` is the other end of the UART's line.
    Zynq7000(const BoardOptions &options, Pty &pty, const std::atomic<bool> &quit);

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
        std::optional<a9::Parameters> a9; // of that timing model; none: `functional`
        Faults faults;
        GicVariants gic_variants;
        UartVariants uart_variants;
    };

    Gateware::Wiring gateware_wiring(const BoardOptions &options);
    UartPlace uart_place(const char *name, std::uint64_t base) const;
    Uart::Wiring uart_wiring(unsigned id, const BoardOptions &options, Pty &pty);
    void add_core(unsigned number, const std::vector<Device *> &devices);
    void drive_interrupt(unsigned input, bool level, Time time);
    void sent_event(unsigned core, Time time);

    const Told told_;
    const Profile &profile_ = told_.profile;
    const Faults &faults_ = told_.faults;
    EventQueue events_;
    Memory memory_;
    std::uint64_t entry_ = 0;
    Trace trace_;
    MarkerLog markers_;
    Gic gic_;
    Mpcore mpcore_;
    std::optional<a9::Cluster> timing_;
    std::optional<L2Effects> l2_effects_;
    L2c310 l2_;
    Uart uart_;
    std::optional<Uart> second_uart_; // of a foreign program
    Gateware gateware_;
    EmioPins emio_;
    Gpio gpio_;
    ControlRegisters control_;
    std::vector<std::unique_ptr<Ttc>> ttcs_;
    std::vector<std::unique_ptr<RegisterFile>> register_files_;
    std::vector<std::unique_ptr<a32::Core>> cores_;
    std::vector<Core *> every_core_;
    std::vector<std::unique_ptr<a32::Coprocessor>> coprocessors_;
};

} // namespace twin::zynq7000
