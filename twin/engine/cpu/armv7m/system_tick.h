// SysTick: Arm DDI 0403E, B3.3. It counts cycles of the core, or of a reference that is slower.
#pragma once

#include <cstdint>
#include <functional>

namespace twin::armv7m {

class SystemTick {
  public:
    struct Wiring {
        std::function<std::uint64_t()> cycle;             // now
        std::function<void(std::uint64_t cycle)> call_at; // expire() is to be called then
        std::function<void()> pend;
    };

    // `reference`: cycles of the core in one of the reference's.
    SystemTick(unsigned reference, Wiring wiring)
        : reference_(reference), wiring_(std::move(wiring)) {}

    // Registers by number: control, reload, value, calibration.
    std::uint32_t load(unsigned number);
    void store(unsigned number, std::uint32_t value);

    // The cycle for which it was called.
    void expire(std::uint64_t cycle);

  private:
    std::uint64_t step() const { return control_ & 4 ? 1 : reference_; }
    std::uint32_t value_at(std::uint64_t cycle) const;
    void run_from(std::uint64_t cycle, std::uint32_t value);

    const unsigned reference_;
    const Wiring wiring_;
    std::uint32_t control_ = 0, reload_ = 0;
    std::uint32_t stopped_ = 0; // its value while it does not count
    std::uint64_t zero_ = 0;    // cycle in which it next gets to 0; 0: never
    bool counted_ = false;      // to 0, since that was last read
};

} // namespace twin::armv7m
