/* The port-specific part, here for AArch64. This port sets its vectors itself. */
#ifndef STACKS_FREERTOS_ARCH_H
#define STACKS_FREERTOS_ARCH_H

#define ARCH_TEXT "EL3, GICv2"
#define ARCH_KERNEL_TICK_BITS 64

static inline void arch_start(void) {}

#endif
