/* The processor itself: system registers, barriers, interrupt mask. */
#ifndef ARCH_AARCH64_CPU_H
#define ARCH_AARCH64_CPU_H

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
#define CPTR_TFP (UINT64_C(1) << 10)

static inline void dsb(void) { __asm__ volatile("dsb sy" : : : "memory"); }
static inline void isb(void) { __asm__ volatile("isb" : : : "memory"); }

/* Sleeps until an interrupt is pending at this core, masked or not (Arm DDI 0487, WFI). */
static inline void wait_for_interrupt(void) { __asm__ volatile("dsb sy\n\twfi" : : : "memory"); }

/* No operation of the architecture makes the predictors forget. */
static inline void branches_forget(void) {}

/* Forgets all translations of EL3 that this core has kept. */
static inline void tlb_invalidate(void) {
    __asm__ volatile("tlbi alle3\n\tdsb sy\n\tisb" : : : "memory");
}

/* Assembly: the first operand becomes its quotient by the second, unsigned. */
#define CPU_DIVIDE "udiv %w0, %w0, %w1"

static inline void interrupts_mask(void) { __asm__ volatile("msr daifset, #2" : : : "memory"); }
static inline void interrupts_unmask(void) { __asm__ volatile("msr daifclr, #2" : : : "memory"); }

/* From here on a system error is reported, even one left pending by an earlier program: the call
 * stack, cleared memory and a way to report must exist by now. */
static inline void system_errors_unmask(void) {
    __asm__ volatile("msr daifclr, #4" : : : "memory");
}

static inline unsigned cpu_number(void) { return (unsigned)(READ_SYSREG(mpidr_el1) & 0xFF); }
static inline unsigned cpu_exception_level(void) {
    return (unsigned)(READ_SYSREG(CurrentEL) >> 2) & 3;
}

static inline bool interrupts_are_masked(void) { return (READ_SYSREG(daif) & SPSR_I) != 0; }
#define CACHES_ARE_ON() ((READ_SYSREG(sctlr_el3) & SCTLR_C) != 0)

/* The active vectors. */
static inline uintptr_t vectors(void) { return READ_SYSREG(vbar_el3); }
static inline void set_vectors(uintptr_t table) { WRITE_SYSREG(vbar_el3, table); }

/* Words of this core's own for the path from interrupt to handler: an ID and a pointer. */
static inline uint64_t core_word(void) { return READ_SYSREG(tpidr_el1); }
static inline void set_core_word(uint64_t word) { WRITE_SYSREG(tpidr_el1, word); }
static inline void *core_pointer(void) { return (void *)READ_SYSREG(tpidr_el0); }
static inline void set_core_pointer(const void *to) { WRITE_SYSREG(tpidr_el0, (uintptr_t)to); }

/* The address to which the handled interrupt returns. */
static inline uintptr_t interrupted_at(void) { return READ_SYSREG(elr_el3); }

/* Makes the handled interrupt return elsewhere, with interrupts masked. */
static inline void return_masked_to(uintptr_t address) {
    WRITE_SYSREG(elr_el3, address);
    WRITE_SYSREG(spsr_el3, READ_SYSREG(spsr_el3) | SPSR_I);
}

/* Forgets the instruction cache, or the translations of this core, without waiting for that. */
static inline void instructions_forget(void) { __asm__ volatile("ic iallu" : : : "memory"); }
static inline void translations_forget(void) { __asm__ volatile("tlbi alle3" : : : "memory"); }

/* Cleans and invalidates the line of an address in all data caches. */
static inline void line_flush(const volatile void *address) {
    __asm__ volatile("dc civac, %0" : : "r"(address) : "memory");
}

/* Sets what fault_entry will report, as if this core had met with it. */
#define FAULT_IS(esr, elr)                                                                         \
    do {                                                                                           \
        WRITE_SYSREG(esr_el3, esr);                                                                \
        WRITE_SYSREG(elr_el3, elr);                                                                \
    } while (0)

/* Puts the call stack of interrupts there, where they have one of their own; `of_loop` is that of
 * the interrupted code. */
static inline void set_interrupt_call_stack(uintptr_t top) { (void)top; }
static inline uintptr_t interrupt_call_stack(uintptr_t of_loop) { return of_loop; }

/* An exception that nobody expects: it is reported as a fault. */
#define FAULT() __asm__ volatile("brk #0xFEED")

/* Whether a use of FP registers is an exception. */
static inline void trap_fp(bool on) { WRITE_SYSREG(cptr_el3, on ? CPTR_TFP : 0); }

#endif
