// The chips and boards of the Cortex-M family that a program may be for: memory, devices,
// interrupts.
#pragma once

#include "core/memory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twin::stm32f4 {

// The modelled parts of a device.
enum class Kind : std::uint8_t {
    kept, // registers that keep what is stored
    rcc,
    pwr,
    rtc,
    flash,
    gpio,
    syscfg,
    exti,
    timer,
    usart,
    debug,
    pl011,
    cmsdk_uart,
    system_control, // of an LM3S
};

struct Peripheral {
    const char *name;
    std::uint32_t base, size;
    Kind kind = Kind::kept;
    // Its clock: a register of RCC by its offset and a bit. 0xFF: always on.
    std::uint8_t enable = 0xFF, bit = 0;
    std::uint16_t interrupt = 0xFFFF;
    std::uint8_t number = 0; // port; bits of a timer's counter
    std::uint8_t bus = 0;    // APB1, APB2: 0, 1
};

// Values that registers have at reset and that are not 0.
struct Reset {
    std::uint32_t address, value;
};

struct Chip {
    const char *name;
    const char *title;
    Memory::Part flash, sram;
    bool flash_at_zero;             // as a copy
    std::vector<Memory::Part> more; // other memories
    std::vector<Memory::Part> devices;
    std::uint32_t vectors;
    unsigned interrupts, priority_bits, tick_reference;
    bool has_fpu, is_stm32;
    std::uint64_t hz;       // after reset
    std::uint32_t identity; // DBGMCU_IDCODE
    std::vector<Peripheral> peripherals;
    std::vector<Reset> resets;
};

// Refuses a name that there is not.
const Chip &chip_named(const std::string &name);

} // namespace twin::stm32f4
