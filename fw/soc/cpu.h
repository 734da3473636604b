/* The processor itself: system registers, barriers, interrupt mask. */
#ifndef SOC_CPU_H
#define SOC_CPU_H

#include <stdbool.h>
#include <stdint.h>

#define READ_SYSREG(name)                                                                          \
    ({                                                                                             \
        uint64_t value_;                                                                           \
        __asm__ volatile("mrs %0, " #name : "=r"(value_));                                         \
        value_;                                                                                    \
    })
#define WRITE_SYSREG(name, value)                                                                  \
    __asm__ volatile("msr " #name ", %0" : : "r"((uint64_t)(value)) : "memory")

/* CPUACTLR_EL1 and CPUECTLR_EL1 of the Cortex-A53, which have no name for an assembler. */
#define READ_CPUACTLR() READ_SYSREG(S3_1_C15_C2_0)
#define READ_CPUECTLR() READ_SYSREG(S3_1_C15_C2_1)

#define SCTLR_M (UINT64_C(1) << 0)
#define SCTLR_C (UINT64_C(1) << 2)
#define SCTLR_I (UINT64_C(1) << 12)

#define SPSR_I (UINT64_C(1) << 7)

static inline void dsb(void) { __asm__ volatile("dsb sy" : : : "memory"); }
static inline void isb(void) { __asm__ volatile("isb" : : : "memory"); }

/* Sleeps until an interrupt is pending at this core, masked or not (Arm DDI 0487, WFI). */
static inline void wait_for_interrupt(void) { __asm__ volatile("dsb sy\n\twfi" : : : "memory"); }

/* All translations of EL3 that this core has kept. */
static inline void tlb_invalidate(void) {
    __asm__ volatile("tlbi alle3\n\tdsb sy\n\tisb" : : : "memory");
}

static inline void interrupts_mask(void) { __asm__ volatile("msr daifset, #2" : : : "memory"); }
static inline void interrupts_unmask(void) { __asm__ volatile("msr daifclr, #2" : : : "memory"); }

/* A system error reports itself from here on, one that whoever ran before left behind as well:
 * there have to be a stack, memory that is cleared, and a way to report. */
static inline void system_errors_unmask(void) {
    __asm__ volatile("msr daifclr, #4" : : : "memory");
}

static inline unsigned cpu_number(void) { return (unsigned)(READ_SYSREG(mpidr_el1) & 0xFF); }
static inline unsigned cpu_exception_level(void) {
    return (unsigned)(READ_SYSREG(CurrentEL) >> 2) & 3;
}

#endif
