#pragma once

#include "cpu/armv7m/core.h"

#include <unicorn/unicorn.h>

namespace twin::armv7m {

// A range of devices as Unicorn calls for it.
struct DeviceWindow {
    Core *core;
    std::uint32_t base;

    static std::uint64_t load(uc_engine *, std::uint64_t offset, unsigned size, void *user);
    static void store(uc_engine *, std::uint64_t offset, unsigned size, std::uint64_t value,
                      void *user);
};

} // namespace twin::armv7m
