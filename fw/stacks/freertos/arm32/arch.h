/* What differs from port to port, here for the Cortex-A9. Tasks run in system mode, handlers in
 * supervisor mode, on the call stack on which the scheduler was started. */
#ifndef STACKS_FREERTOS_ARCH_H
#define STACKS_FREERTOS_ARCH_H

#include "machine/cpu.h"

#define ARCH_TEXT "secure system mode, GICv1"
#define ARCH_KERNEL_TICK_BITS 32

/* vectors.S */
extern const char freertos_vectors_paper[];
void freertos_fp_on(void);

/* The application sets vectors before the first task starts by them. FP is on: the
 * port's switch has instructions for tasks with an FP context, whose condition fails without such a
 * task; with FP off a core may take even those as undefined (Arm DDI 0406, conditional execution of
 * undefined instructions). */
static inline void arch_start(void) {
    trap_fp(false);
    freertos_fp_on();
    set_vectors((uintptr_t)freertos_vectors_paper);
    isb();
}

#endif
