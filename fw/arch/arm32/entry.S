/* Start-up of a core of a Cortex-A9 cluster.
 *
 * On entry: secure state, any privileged mode, all registers undefined. Core 0 starts at _start, by
 * its loader; another core when core 0 sends it there (machine/zynq7000/smp.c). Where no boot ROM
 * holds the others back, as in emulators, they wait here for the same word.
 *
 * The order is that of AMD's own start-up (embeddedsw, standalone, cortexa9 boot.S). */
#include "bound/addresses.h"

/* SCTLR out of reset: MMU, caches, prediction and alignment check off; vectors at VBAR. */
#define SCTLR_VALUE 0x00C50078
#define SCTLR_Z (1 << 11)
/* ACTLR: coherency with the other core, maintenance sent to it; hints to L2, prefetch into L1. */
#define ACTLR_SMP_FW 0x41
#define ACTLR_PREFETCH 0x06
#define MODE_IRQ 0x12
#define MODE_SVC 0x13

    .arch_extension sec
    .syntax unified
    .arm

    .section .text.entry, "ax"
    .globl  _start
    .type   _start, %function
_start:
    cpsid   aif, #MODE_SVC
    ldr     r0, =SCTLR_VALUE
    mcr     p15, 0, r0, c1, c0, 0
    isb
    ldr     r0, =vectors_unexpected
    mcr     p15, 0, r0, c12, c0, 0      // VBAR
    mov     r0, #0
    mcr     p15, 0, r0, c1, c0, 2       // CPACR: no handler saves FP registers, any use reports itself
    mrc     p15, 0, r4, c0, c0, 5
    ands    r4, r4, #3
    beq     1f
    ldr     r5, =CORE_START_WORD        // sent here already, or to wait until then
2:  ldr     r0, [r5]
    cmp     r0, #0
    bne     1f
    wfe
    b       2b
1:
    mov     r0, #0
    mcr     p15, 0, r0, c8, c7, 0       // TLBIALL
    mcr     p15, 0, r0, c7, c5, 0       // ICIALLU
    mcr     p15, 0, r0, c7, c5, 6       // BPIALL
    cmp     r4, #0
    bne     3f
    ldr     r1, =SCU_BASE               // tags of all cores, before any has its caches on
    ldr     r0, =0xFFFF
    str     r0, [r1, #SCU_INVALIDATE]
    mov     r0, #1
    str     r0, [r1, #SCU_CONTROL]
    ldr     r1, =SLCR_BASE
    ldr     r0, =SLCR_KEY
    str     r0, [r1, #SLCR_UNLOCK]
    mov     r0, #OCM_ALL_HIGH
    str     r0, [r1, #SLCR_OCM_CFG]
3:  bl      caches_invalidate_after_reset
    mrc     p15, 0, r0, c1, c0, 1
    orr     r0, r0, #ACTLR_SMP_FW
    orr     r0, r0, #ACTLR_PREFETCH
    mcr     p15, 0, r0, c1, c0, 1
    dsb
    isb
    bl      call_stack_top
    mov     sp, r0
    mov     r0, #0
    bl      set_interrupt_call_stack
    cmp     r4, #0
    bne     secondary

    ldr     r0, =bss_start
    ldr     r1, =bss_end
    mov     r2, #0
4:  cmp     r0, r1
    strlo   r2, [r0], #4
    blo     4b
    bl      mmu_write_tables
    bl      mmu_enable
    bl      predict
    bl      l2_set_up
    bl      caches_on
    bl      main
park:
    wfi
    b       park

/* Here a core other than 0 begins. Its L2 is in use already. */
secondary:
    bl      mmu_enable
    bl      predict
    bl      caches_on
    bl      secondary_main
    b       park

/* Branch prediction must not be on before the MMU (erratum 794073). */
predict:
    mrc     p15, 0, r0, c1, c0, 0
    orr     r0, r0, #SCTLR_Z
    mcr     p15, 0, r0, c1, c0, 0
    isb
    bx      lr
    .ltorg
    .size   _start, . - _start

    .macro FUNCTION name
    .section .text.\name, "ax"
    .balign 4
    .globl  \name
    .type   \name, %function
\name:
    .endm

/* r0 = upper end of this core's call stack. Clobbers r1. */
    FUNCTION call_stack_top
    mrc     p15, 0, r1, c0, c0, 5
    and     r1, r1, #3
    add     r1, r1, #1
    ldr     r0, =call_stacks
    add     r0, r0, r1, lsl #14
    bx      lr
    .ltorg
    .size   call_stack_top, . - call_stack_top
#if CALL_STACK_SIZE != 1 << 14
#error "call_stack_top shifts by 14"
#endif

    FUNCTION set_interrupt_call_stack
    cmp     r0, #0
    bne     1f
    mrc     p15, 0, r1, c0, c0, 5
    and     r1, r1, #3
    add     r1, r1, #1
    ldr     r0, =interrupt_call_stacks
    add     r0, r0, r1, lsl #12
1:  mrs     r1, cpsr
    cpsid   i, #MODE_IRQ
    mov     sp, r0
    msr     cpsr_c, r1
    bx      lr
    .ltorg
    .size   set_interrupt_call_stack, . - set_interrupt_call_stack

    FUNCTION interrupt_call_stack
    mrs     r1, cpsr
    cpsid   i, #MODE_IRQ
    mov     r0, sp
    msr     cpsr_c, r1
    bx      lr
    .size   interrupt_call_stack, . - interrupt_call_stack

    .section .call_stacks, "aw", %nobits
    .balign 4096
interrupt_call_stacks:
    .skip   CORES * 4096
call_stacks:
    .skip   CORES * CALL_STACK_SIZE
