// Accesses outside of the core's memory: devices, its own registers, bits as words.
#include "cpu/armv7m/core.h"
#include "cpu/armv7m/ranges.h"
#include "cpu/armv7m/window.h"

#include <unicorn/unicorn.h>

namespace twin::armv7m {

std::uint64_t DeviceWindow::load(uc_engine *, std::uint64_t offset, unsigned size, void *user) {
    auto *window = static_cast<DeviceWindow *>(user);
    return window->core->load_device(window->base + static_cast<std::uint32_t>(offset), size);
}

void DeviceWindow::store(uc_engine *, std::uint64_t offset, unsigned size, std::uint64_t value,
                         void *user) {
    auto *window = static_cast<DeviceWindow *>(user);
    window->core->store_device(window->base + static_cast<std::uint32_t>(offset), size,
                               static_cast<std::uint32_t>(value));
}

std::uint64_t Core::load_device(std::uint32_t address, unsigned size) {
    forget_condition();
    wait_until(now());
    if (auto value = around_.load(address, size, now()))
        return *value;
    raise(bus_fault, fault::precise | fault::bus_address_valid, address,
          "a load from where nothing is");
    return 0;
}

void Core::store_device(std::uint32_t address, unsigned size, std::uint32_t value) {
    forget_condition();
    wait_until(now());
    if (!around_.store(address, size, value, now()))
        raise(bus_fault, fault::precise | fault::bus_address_valid, address,
              "a store to where nothing is");
    refresh_limit();
}

std::uint32_t Core::load_system(std::uint32_t address, unsigned size) {
    forget_condition();
    wait_until(now());
    std::uint32_t value = control_.load(address & ~3u) >> 8 * (address & 3);
    return size == 4 ? value : value & ((1u << 8 * size) - 1);
}

void Core::store_system(std::uint32_t address, unsigned size, std::uint32_t value) {
    forget_condition();
    wait_until(now());
    if (size == 4 && !(address & 3))
        control_.store(address, value);
    else
        for (unsigned n = 0; n < size; ++n)
            control_.store_byte(address + n, static_cast<std::uint8_t>(value >> 8 * n));
    refresh_limit();
}

// Bits as words of their own: DDI 0439, 3.7.
std::uint32_t Core::load_bit(std::uint32_t address) {
    bool of_device = address >= device_bits;
    std::uint32_t byte = (address - (of_device ? device_bits : memory_bits)) / 32;
    std::uint32_t at = (of_device ? 0x4000'0000 : 0x2000'0000) + byte;
    unsigned bit = address / 4 % 8;
    if (of_device)
        return static_cast<std::uint32_t>(load_device(at & ~3u, 4)) >> ((at & 3) * 8 + bit) & 1;
    return word(at & ~3u) >> ((at & 3) * 8 + bit) & 1;
}

void Core::store_bit(std::uint32_t address, std::uint32_t value) {
    bool of_device = address >= device_bits;
    std::uint32_t byte = (address - (of_device ? device_bits : memory_bits)) / 32;
    std::uint32_t at = (of_device ? 0x4000'0000 : 0x2000'0000) + byte;
    std::uint32_t mask = 1u << ((at & 3) * 8 + address / 4 % 8);
    at &= ~3u;
    std::uint32_t before = of_device ? static_cast<std::uint32_t>(load_device(at, 4)) : word(at);
    std::uint32_t after = value & 1 ? before | mask : before & ~mask;
    if (of_device)
        store_device(at, 4, after);
    else
        set_word(at, after);
}

} // namespace twin::armv7m
