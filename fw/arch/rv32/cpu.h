/* The processor itself: CSRs, barriers, interrupt mask. One hart, machine mode. */
#ifndef ARCH_RV32_CPU_H
#define ARCH_RV32_CPU_H

#include "arch/rv32/vectors.h"
#include "bound/addresses.h"
#include "bound/hart.h"

#define CSR_NAME(name) #name
#define READ_CSR(name)                                                                             \
    ({                                                                                             \
        uint32_t value_;                                                                           \
        __asm__ volatile("csrr %0, " CSR_NAME(name) : "=r"(value_));                               \
        value_;                                                                                    \
    })
#define WRITE_CSR(name, value)                                                                     \
    __asm__ volatile("csrw " CSR_NAME(name) ", %0" : : "r"((uint32_t)(value)) : "memory")
#define SET_CSR(name, bits)                                                                        \
    __asm__ volatile("csrs " #name ", %0" : : "r"((uint32_t)(bits)) : "memory")
#define CLEAR_CSR(name, bits)                                                                      \
    __asm__ volatile("csrc " #name ", %0" : : "r"((uint32_t)(bits)) : "memory")

#define MSTATUS_MIE (UINT32_C(1) << 3)
#define MSTATUS_MPIE (UINT32_C(1) << 7)
#define MTVEC_MODE 3u
#define MTVEC_VECTORED 1u
#define MTVEC_CLIC 3u

/* Sleeps until an enabled interrupt is pending, masked or not. */
static inline void wait_for_interrupt(void) { __asm__ volatile("wfi" : : : "memory"); }

/* No core here remembers a branch. */
static inline void branches_forget(void) {}

static inline void interrupts_mask(void) { CLEAR_CSR(mstatus, MSTATUS_MIE); }
static inline void interrupts_unmask(void) { SET_CSR(mstatus, MSTATUS_MIE); }
static inline bool interrupts_are_masked(void) { return (READ_CSR(mstatus) & MSTATUS_MIE) == 0; }

/* The active table. With a CLIC its address is in mtvt, and mtvec has the path's own entry for
 * exceptions without an entry in the table (vectors.inc). Where hardware goes by the table, the
 * draft wants addresses in it and the CV32E40P instructions; a path that asks mnxti calls an
 * instruction of it. */
#ifdef HAS_CLIC
extern const char path_trap[];
extern const uint8_t path_vectored; /* 1: an interrupt goes to its own entry of the table */
extern const uint8_t path_nests;    /* 1: a handler can be interrupted by a more urgent interrupt */
#define MARCHID_CV32E40P 4
static inline uintptr_t vectors(void) {
    return READ_CSR(CSR_MTVT) & ~(uintptr_t)(VECTOR_TABLE_SIZE - 1);
}
static inline void set_vectors(uintptr_t table) {
    bool addresses = path_vectored && READ_CSR(marchid) != MARCHID_CV32E40P;
    WRITE_CSR(CSR_MTVT, addresses ? table + VECTOR_COUNT * sizeof(uint32_t) : table);
    WRITE_CSR(mtvec, (uintptr_t)path_trap | MTVEC_CLIC);
}
#else
static inline uintptr_t vectors(void) { return READ_CSR(mtvec) & ~MTVEC_MODE; }
static inline void set_vectors(uintptr_t table) {
#ifdef SHARED_CAUSE
    WRITE_CSR(mtvec, table);
#else
    WRITE_CSR(mtvec, table | MTVEC_VECTORED);
#endif
}
#endif

/* A path from the handler restores mepc from its frame, or does not change it. */
#define CPU_FRAME_MCAUSE (64 / 4)
#define CPU_FRAME_MEPC (68 / 4)
#define MCAUSE_MPIE                                                                                \
    (UINT32_C(1) << 27) /* with a CLIC the same bit as in mstatus; does not exist without one */

/* The address to which the handled interrupt returns. */
static inline uintptr_t interrupted_at(void) { return READ_CSR(mepc); }

/* Makes the handled interrupt return elsewhere, with interrupts masked. */
static inline void return_masked_to(uintptr_t address) {
    cpu_frame[CPU_FRAME_MEPC] = address;
    cpu_frame[CPU_FRAME_MCAUSE] &= ~MCAUSE_MPIE;
    WRITE_CSR(mepc, address);
    CLEAR_CSR(mstatus, MSTATUS_MPIE);
}

#endif
