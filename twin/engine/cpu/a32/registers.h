// Program status and coprocessor registers of an ARMv7-A core as Unicorn has them.
#pragma once

#include <cstdint>

struct uc_struct;

namespace twin::a32 {

// A register of coprocessor 15, as MRC and MCR name it.
struct CoprocessorRegister {
    unsigned opc1, crn, crm, opc2;

    // The one that an MRC or MCR names.
    static constexpr CoprocessorRegister of(std::uint32_t opcode) {
        return {opcode >> 21 & 7, opcode >> 16 & 15, opcode & 15, opcode >> 5 & 7};
    }
    constexpr bool operator==(const CoprocessorRegister &) const = default;
};

inline constexpr CoprocessorRegister midr{0, 0, 0, 0}, mpidr{0, 0, 0, 5};
inline constexpr CoprocessorRegister ccsidr{1, 0, 0, 0}, csselr{2, 0, 0, 0};
inline constexpr CoprocessorRegister sctlr{0, 1, 0, 0}, actlr{0, 1, 0, 1}, scr{0, 1, 1, 0};
inline constexpr CoprocessorRegister ttbr0{0, 2, 0, 0}, ttbr1{0, 2, 0, 1}, ttbcr{0, 2, 0, 2};
inline constexpr CoprocessorRegister dacr{0, 3, 0, 0}, dfsr{0, 5, 0, 0};
inline constexpr CoprocessorRegister ifsr{0, 5, 0, 1}, dfar{0, 6, 0, 0}, ifar{0, 6, 0, 2};
inline constexpr CoprocessorRegister vbar{0, 12, 0, 0}, mvbar{0, 12, 0, 1};
inline constexpr CoprocessorRegister tlb_lockdown{0, 10, 0, 0};
inline constexpr CoprocessorRegister power_control{0, 15, 0, 0}, diagnostic{0, 15, 0, 1};
inline constexpr CoprocessorRegister cbar{4, 15, 0, 0};

// Modes and bits of CPSR.
inline constexpr std::uint32_t mode_mask = 0x1F, mode_fiq = 0x11, mode_irq = 0x12, mode_svc = 0x13;
inline constexpr std::uint32_t mode_monitor = 0x16, mode_abort = 0x17, mode_undefined = 0x1B;
inline constexpr std::uint32_t cpsr_t = 1u << 5, cpsr_f = 1u << 6, cpsr_i = 1u << 7;
inline constexpr std::uint32_t cpsr_a = 1u << 8, cpsr_e = 1u << 9, cpsr_it = 0x0600'FC00;

// If each security state has its own copy of the register: the secure one.
std::uint32_t read_coprocessor(uc_struct *uc, CoprocessorRegister reg);
void write_coprocessor(uc_struct *uc, CoprocessorRegister reg, std::uint32_t value);

std::uint32_t read_cpsr(uc_struct *uc);
void write_cpsr(uc_struct *uc, std::uint32_t value);

// r0 to r14 of the current mode.
std::uint32_t read_general(uc_struct *uc, unsigned index);
void write_general(uc_struct *uc, unsigned index, std::uint32_t value);

// Whether an instruction with this condition is executed.
bool condition_holds(std::uint32_t cpsr, unsigned condition);

} // namespace twin::a32
