// An STM32F4, or one of two simpler boards with a Cortex-M, for a foreign program.
#pragma once

#include "boards/stm32f4/chips.h"
#include "core/board.h"
#include "core/memory.h"
#include "core/options.h"
#include "cpu/armv7m/core.h"
#include "devices/stm32/beat.h"
#include "devices/stm32/clocks.h"
#include "devices/stm32/pins.h"
#include "devices/stm32/rtc.h"
#include "devices/stm32/timer.h"
#include "timing/m4/model.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace twin::stm32f4 {

class Stm32f4 : public ProgramBoard {
  public:
    explicit Stm32f4(const BoardOptions &options);

    EventQueue &events() override { return events_; }
    const std::vector<Core *> &cores() override { return every_core_; }
    LookAhead look_ahead() const override;
    void start(Time time) override;
    void drive_line(unsigned line, bool level, Time time) override;
    bool masks_line(unsigned line) const override;
    std::optional<unsigned> line_for(unsigned core) const override;
    std::string about_line(unsigned line) const override;
    std::string polled() const override;
    void check_pin(unsigned pin) const override;
    void observe_pins(PinObserver observer) override { pin_observer_ = std::move(observer); }

  private:
    struct Times : stm32::ClockTimes {
        Time pin_output, pin_input, stop_wake, stop_regulator, stop_flash;
        std::uint64_t synchroniser;
    };
    struct Told {
        explicit Told(const BoardOptions &options);
        const Chip &chip;
        Times times{};
        m4::Parameters timing{};
    };

    armv7m::Surroundings surroundings(const BoardOptions &options);
    m4::Layout layout() const;
    void check_vectors(const std::string &elf) const;
    void check_lines() const;
    const Peripheral *at(std::uint32_t address) const;
    bool clocked(const Peripheral &it) const;
    std::optional<std::uint32_t> load(std::uint32_t address, unsigned size, Time time);
    bool store(std::uint32_t address, unsigned size, std::uint32_t value, Time time);
    std::uint32_t load_word(const Peripheral &it, std::uint32_t offset, Time time);
    void store_word(const Peripheral &it, std::uint32_t offset, std::uint32_t value, Time time);
    std::uint32_t load_kept(const Peripheral *it, std::uint32_t address, Time time);
    void watch_wait(const std::string &name, const char *why, std::uint32_t address, Time time);
    void note_lost(const Peripheral &it, std::uint32_t address, const std::string &why);
    void follow_backup(Time time);
    std::string register_name(const Peripheral *it, std::uint32_t address) const;
    void follow_clock(Time time);
    void set_flash(std::uint32_t value);
    void interrupt_of_exti(unsigned line, bool pending);
    void pend(unsigned interrupt, bool level);
    unsigned interrupt_of(unsigned line) const;
    void note(const std::string &text) const;
    bool stops();
    void wake_by_exti();

    const Told told_;
    const Chip &chip_;
    const std::vector<LineTo> lines_;
    const std::function<void(std::uint8_t)> transmit_;
    const std::function<void(const std::string &)> log_;
    const std::uint64_t unit_hz_;
    EventQueue events_;
    Memory memory_;
    stm32::Clocks clocks_;
    stm32::Pins pins_;
    stm32::Rtc rtc_;
    m4::Model *model_ = nullptr; // the core's
    std::unique_ptr<armv7m::Core> core_;
    stm32::Beat beat_;
    std::map<std::uint32_t, std::unique_ptr<stm32::Timer>> timers_; // by base
    std::map<unsigned, std::uint32_t> shared_; // interrupts of several timers: the requesters
    std::vector<Core *> every_core_;
    std::map<std::uint32_t, std::uint32_t> kept_;
    std::uint32_t flash_control_ = 0;
    std::set<std::uint32_t> named_;
    std::set<std::string> lost_;
    std::array<bool, 23> exti_{};
    const std::array<char, 2 * program_lines> edges_{}; // names of pending events
    bool stopped_ = false;
    // A wait for a register that nobody models.
    struct Polls {
        Time since;
        unsigned count = 0;
    };
    std::map<std::uint32_t, Polls> polls_; // by address, since anything else was done
    std::uint32_t polled_ = 0, polled_value_ = 0;
    Time polled_since_ = 0;
    PinObserver pin_observer_ = [](unsigned, bool, Time) {};
};

} // namespace twin::stm32f4
