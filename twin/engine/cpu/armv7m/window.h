// A range of devices as Unicorn calls for it.
#pragma once

#include <unicorn/unicorn.h>

#include <cstdint>

namespace twin::armv7m {

class Core;

struct DeviceWindow {
    Core *core;
    std::uint32_t base;

    static std::uint64_t load(uc_engine *, std::uint64_t offset, unsigned size, void *user);
    static void store(uc_engine *, std::uint64_t offset, unsigned size, std::uint64_t value,
                      void *user);
};

} // namespace twin::armv7m
