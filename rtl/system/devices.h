// What the core reaches beside its memory, at the top of the address space, where `sw x0, imm(x0)`
// gets; and the register port of the instrument. The firmware's side: fw/machine/soft/bound.
#pragma once

#include <cstdint>

namespace rtl {

inline constexpr std::uint32_t port_base = 0x80000000; // words of the register space, 64 KB
inline constexpr std::uint32_t port_size = 0x10000;
inline constexpr std::uint32_t clic_base = 0x90000000; // 64 KB, of a core that has a CLIC
inline constexpr std::uint32_t devices_base = 0xFFFFF800;

template <typename Core>
concept HasClic = requires(Core &core) { core.clic_base; };

template <typename Core> void place_clic(Core &core, std::uint32_t address) {
    if constexpr (HasClic<Core>)
        core.clic_base = static_cast<std::uint16_t>(address >> 16);
}

// For a core whose boot address is an input: its table is there after reset, and it starts 0x80
// after that.
template <typename Core> void boot_at(Core &core, std::uint32_t address) {
    if constexpr (requires { core.boot_address; })
        core.boot_address = address & ~0xFFu;
}

// Offsets from devices_base.
enum Offset : std::uint32_t {
    marker = 0x00,      // to 0x1C: a store sends the marker of that code; read: the last one's
                        // code, and bit 3, which each of them changes
    marker_gate = 0x40, // 0: markers go nowhere
    raise = 0x44,       // sets pending bits; read: what the core's inputs show
    lower = 0x48,       // clears them
    shared = 0x4C,      // which inputs reach a shared cause; read: which do now
    time_low = 0x50,    // cycles; reading the low half keeps the high one
    time_high = 0x54,
    compare_low = 0x58,  // the timer's level is high from this time on
    compare_high = 0x5C, // written last
    uart_data = 0x60,    // read: a byte, or bit 31 if there is none
    saving = 0x70,       // 1: the core saves registers itself; 2 besides: its return swaps banks
};

// Bits of the core's interrupt inputs, by cause (RISC-V privileged architecture, mip).
inline constexpr unsigned timer_irq = 7, uart_irq = 11, external_irq = 11, first_line_irq = 16;
// The gateware's own output, after those that lines drive: a batch has finished.
inline constexpr unsigned finished_irq = 23;

} // namespace rtl
