// The interface of every modelled device that the cores reach through memory.
#pragma once

#include "core/units.h"

#include <cstdint>
#include <vector>

namespace twin {

class Core;

// One load or store, as reports name it.
struct Access {
    Core *core;
    std::uint64_t pc;
    std::uint64_t address;
    unsigned size; // bytes
    bool is_store;
    std::uint64_t instructions; // executed by the core so far, this one included
    bool secure = true;
};

class Device {
  public:
    virtual ~Device() = default;

    virtual const char *name() const = 0;

    // 4 KB pages of the physical address space that belong to it.
    virtual std::vector<std::uint64_t> pages() const = 0;

    // Time from a core to the device, and from the device back.
    virtual Time path() const = 0;
    virtual Time way_back() const { return path(); }

    // Whether an access of 64 bits, or of a pair of registers, reaches it as several of 32 bits.
    // Otherwise it is refused.
    virtual bool takes_wide() const { return false; }

    // Called with the core's time at the device and every earlier event done. It may make the
    // core wait (Core::wait_until); the core continues way_back() later.
    virtual std::uint32_t load(const Access &access) = 0;

    // Called at issue, so that a refusal names the instruction. No time passes in it.
    virtual void check_store(const Access &access, std::uint32_t value) const = 0;

    // Called at `arrival`, in the order of twin time. Returns when the device has done it.
    virtual Time store(const Access &access, std::uint32_t value, Time arrival) = 0;
};

// Ends the engine: "load of 4 bytes at 0x... (GPIO): why, PC 0x..., core 0".
[[noreturn]] void refuse_access(const Device &device, const Access &access, const char *why);

} // namespace twin
