/* Start-up of a core out of reset.
 *
 * On entry: EL3 with SP_EL3 selected, MMU and caches off, all registers undefined. Core 0 starts at
 * _start, by its loader; another core when the machine lets it out of reset, at its RVBAR. */
#include "bound/addresses.h"

/* SCR_EL3: RES1 bits 5:4; RW (lower levels AArch64); EA, FIQ, IRQ taken at EL3; NS = 0. */
#define SCR_EL3_VALUE 0x43E
/* SCTLR_EL3: its RES1 bits; MMU, caches and alignment check off. */
#define SCTLR_EL3_VALUE 0x30C50830
/* MDCR_EL3.SPME: counters run in secure state. */
#define MDCR_EL3_VALUE (1 << 17)
#define CPTR_EL3_TFP (1 << 10)
#define CURRENT_EL_EL3 (3 << 2)
#define CPUECTLR_SMPEN (1 << 6)
/* CPUACTLR_EL1 as AMD's own start-up sets it (embeddedsw, standalone, boot.S), so that a core is the
 * same whoever started it: bits 27, 19, 18, 15, 13 as out of reset; bit 24, transient allocation is
 * no hint, clear; bit 44, a clean by address invalidates too: erratum 855873, which an r0p4 has. TF-A's
 * cortex_a53.S knows more errata: the build meets 835769 and 843419 (Makefile); 819472, 824069,
 * 826319, 827319 and 836870 end with r0p3 or before; 1530924 needs a lower exception level. */
#define CPUACTLR_VALUE 0x1000080CA000

    .section .text.entry, "ax"
    .globl  _start
    .type   _start, %function
_start:
    msr     daifset, #0xF
    mrs     x0, CurrentEL
    cmp     x0, #CURRENT_EL_EL3
    b.ne    park                        // nothing below EL3 is possible here
    msr     spsel, #1
    adr     x0, vectors_unexpected
    msr     vbar_el3, x0
    ldr     w0, =SCR_EL3_VALUE
    msr     scr_el3, x0
    ldr     w0, =SCTLR_EL3_VALUE
    msr     sctlr_el3, x0
    mov     w0, #CPTR_EL3_TFP            // no handler saves FP registers: any use reports itself
    msr     cptr_el3, x0
    mov     w0, #MDCR_EL3_VALUE
    msr     mdcr_el3, x0
    /* Both before MMU and caches are on (Cortex-A53 TRM, CPUACTLR_EL1, CPUECTLR_EL1: coherency). */
    ldr     x0, =CPUACTLR_VALUE
    msr     S3_1_C15_C2_0, x0
    mrs     x0, S3_1_C15_C2_1
    orr     x0, x0, #CPUECTLR_SMPEN
    msr     S3_1_C15_C2_1, x0
    isb

    mrs     x19, mpidr_el1
    and     x19, x19, #0xFF
    bl      call_stack_top
    mov     sp, x0
    cbnz    x19, secondary

    bl      caches_invalidate_after_reset
    adr     x0, bss_start
    adr     x1, bss_end
1:  cmp     x0, x1
    b.hs    2f
    stp     xzr, xzr, [x0], #16
    b       1b
2:  bl      mmu_write_tables
    bl      mmu_enable
    bl      caches_on
    bl      main

park:
    wfi
    b       park

/* Here a core other than 0 begins. Its L2 is in use already. */
secondary:
    ic      iallu
    bl      mmu_enable
    bl      caches_on
    bl      secondary_main
    b       park
    .size   _start, . - _start

/* x0 = upper end of this core's call stack. Clobbers x1. */
    .globl  call_stack_top
    .type   call_stack_top, %function
call_stack_top:
    mrs     x1, mpidr_el1
    and     x1, x1, #0xFF
    add     x1, x1, #1
    adr     x0, call_stacks
    add     x0, x0, x1, lsl #14
    ret
    .size   call_stack_top, . - call_stack_top
#if CALL_STACK_SIZE != 1 << 14
#error "call_stack_top shifts by 14"
#endif

    .section .call_stacks, "aw", %nobits
    .balign 64
call_stacks:
    .skip   CORES * CALL_STACK_SIZE
