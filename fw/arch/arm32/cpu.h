/* The processor itself, a Cortex-A9 in secure supervisor mode: CP15, barriers, interrupt mask. */
#ifndef ARCH_ARM32_CPU_H
#define ARCH_ARM32_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* A register of CP15 by opc1, CRn, CRm, opc2. */
#define READ_CP15(opc1, crn, crm, opc2)                                                            \
    ({                                                                                             \
        uint32_t value_;                                                                           \
        __asm__ volatile("mrc p15, " #opc1 ", %0, " #crn ", " #crm ", " #opc2 : "=r"(value_));     \
        value_;                                                                                    \
    })
#define WRITE_CP15(opc1, crn, crm, opc2, value)                                                    \
    __asm__ volatile("mcr p15, " #opc1 ", %0, " #crn ", " #crm ", " #opc2                          \
                     :                                                                             \
                     : "r"((uint32_t)(value))                                                      \
                     : "memory")

#define READ_SCTLR() READ_CP15(0, c1, c0, 0)
#define READ_ACTLR() READ_CP15(0, c1, c0, 1)
#define READ_TTBR0() READ_CP15(0, c2, c0, 0)

#define SCTLR_M (1u << 0)
#define SCTLR_C (1u << 2)
#define SCTLR_Z (1u << 11) /* branch prediction */
#define SCTLR_I (1u << 12)

#define CPSR_I (1u << 7)
#define CPSR_MODE 0x1F
#define CPACR_FP (0xFu << 20) /* CP10 and CP11: full access */

static inline void dsb(void) { __asm__ volatile("dsb" : : : "memory"); }
static inline void isb(void) { __asm__ volatile("isb" : : : "memory"); }

/* Sleeps until an interrupt is pending at this core, masked or not (Arm DDI 0406, WFI). */
static inline void wait_for_interrupt(void) { __asm__ volatile("dsb\n\twfi" : : : "memory"); }

/* Forgets all translations that this core has kept, locked ones too (TLBIALL). */
static inline void translations_forget(void) { WRITE_CP15(0, c8, c7, 0, 0); }
static inline void tlb_invalidate(void) {
    translations_forget();
    dsb();
    isb();
}

/* Invalidates the instruction cache and with it the predictors (ICIALLU), without waiting for
 * it. */
static inline void instructions_forget(void) { WRITE_CP15(0, c7, c5, 0, 0); }

/* Makes the predictors forget all branches (BPIALL). */
static inline void branches_forget(void) {
    WRITE_CP15(0, c7, c5, 6, 0);
    dsb();
    isb();
}

static inline void interrupts_mask(void) { __asm__ volatile("cpsid i" : : : "memory"); }
static inline void interrupts_unmask(void) { __asm__ volatile("cpsie i" : : : "memory"); }

/* From here on an asynchronous abort is reported, even one left pending by an earlier program: the
 * call stack, cleared memory and a way to report must exist by now. */
static inline void system_errors_unmask(void) { __asm__ volatile("cpsie a" : : : "memory"); }

static inline unsigned cpu_number(void) { return READ_CP15(0, c0, c0, 5) & 3; }

static inline uint32_t cpu_status(void) {
    uint32_t status;
    __asm__ volatile("mrs %0, cpsr" : "=r"(status));
    return status;
}
/* Secure supervisor mode is of privilege 1 in ARMv7 (Arm DDI 0406, PL1). */
static inline unsigned cpu_exception_level(void) { return (cpu_status() & CPSR_MODE) != 0x10; }
static inline bool interrupts_are_masked(void) { return (cpu_status() & CPSR_I) != 0; }
#define CACHES_ARE_ON() ((READ_SCTLR() & SCTLR_C) != 0)

/* The active vectors (VBAR). */
static inline uintptr_t vectors(void) { return READ_CP15(0, c12, c0, 0); }
static inline void set_vectors(uintptr_t table) { WRITE_CP15(0, c12, c0, 0, table); }

/* Words of this core's own for the path from interrupt to handler: an ID (TPIDRPRW) and a pointer
 * (TPIDRURO). The third, TPIDRURW, is the marker's. */
static inline uint64_t core_word(void) { return READ_CP15(0, c13, c0, 4); }
static inline void set_core_word(uint64_t word) { WRITE_CP15(0, c13, c0, 4, word); }
static inline void *core_pointer(void) { return (void *)READ_CP15(0, c13, c0, 3); }
static inline void set_core_pointer(const void *to) { WRITE_CP15(0, c13, c0, 3, (uintptr_t)to); }

/* Interrupts have a call stack of their own, whose top is a multiple of INTERRUPT_CALL_STACK_SIZE.
 * At its top the path leaves the address to return to, 4 bytes too high, as the core gave it. */
#define INTERRUPT_CALL_STACK_SIZE 0x1000u

static inline volatile uint32_t *interrupted_slot(void) {
    uintptr_t here;
    __asm__ volatile("mov %0, sp" : "=r"(here));
    return (volatile uint32_t *)((here | (INTERRUPT_CALL_STACK_SIZE - 1)) - 3);
}
static inline uintptr_t interrupted_at(void) { return *interrupted_slot() - 4; }
static inline void return_masked_to(uintptr_t address) {
    *interrupted_slot() = address + 4;
    uint32_t status;
    __asm__ volatile("mrs %0, spsr\n\t"
                     "orr %0, %0, %1\n\t"
                     "msr spsr_cxsf, %0"
                     : "=&r"(status)
                     : "n"(CPSR_I)
                     : "memory");
}

/* Puts the call stack of this core's interrupts at `top`; with 0, where start-up put it. A handler
 * must not call it. */
void set_interrupt_call_stack(uintptr_t top);

/* Returns the top of that call stack, whatever the call stack of the loop is. */
uintptr_t interrupt_call_stack(uintptr_t of_loop);

/* Cleans and invalidates the line of an address in both levels of caches; returns when it is in
 * memory. */
void line_flush(const volatile void *address);

/* Sets what fault_entry will report, as if this core had met with it (DFSR, IFAR). */
#define FAULT_IS(status, address)                                                                  \
    do {                                                                                           \
        WRITE_CP15(0, c5, c0, 0, status);                                                          \
        WRITE_CP15(0, c6, c0, 2, address);                                                         \
    } while (0)

/* An exception that nobody expects: it is reported as a fault. */
#define FAULT() __asm__ volatile("udf #0xFEED")

/* Whether a use of FP registers is an exception. */
static inline void trap_fp(bool on) {
    WRITE_CP15(0, c1, c0, 2, on ? 0 : CPACR_FP);
    isb();
}

#endif
