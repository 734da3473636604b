// Common parts of the PS's debug components: a page of registers, a lock, an identification.
#pragma once

#include "core/device.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace twin {

// What all of them are given: the way from a core, and whether their clock runs.
struct DebugBus {
    Time path;
    std::function<bool()> runs;
    const char *gate; // the register that stops it
};

// Refuses an access while the clock is still. `whose`: whose clock it is, in words.
void check_debug_clock(const DebugBus &bus, const Device &device, const Access &access,
                       const char *whose);

// One component. Registers of its own are after read() and write().
class CoreSight : public Device {
  public:
    CoreSight(const DebugBus &bus, std::uint64_t base, unsigned part)
        : bus_(bus), base_(base), part_(part) {}

    std::vector<std::uint64_t> pages() const override { return {base_}; }
    Time path() const override { return bus_.path; }
    std::uint32_t load(const Access &access) override;
    void check_store(const Access &access, std::uint32_t value) const override;
    Time store(const Access &access, std::uint32_t value, Time arrival) override;

  protected:
    // Reads the register at an offset. `access` is for refuse_access.
    virtual std::uint32_t read(const Access &access, unsigned offset, Time time) = 0;
    virtual bool writable(unsigned offset) const = 0;
    virtual void write(unsigned offset, std::uint32_t value, Time time) = 0;

  private:
    void check(const Access &access) const;

    const DebugBus &bus_;
    std::uint64_t base_;
    unsigned part_;
    bool locked_ = true;
};

} // namespace twin
