/* What differs from port to port, here for RISC-V, machine mode. */
#ifndef STACKS_FREERTOS_ARCH_H
#define STACKS_FREERTOS_ARCH_H

#ifndef __ASSEMBLER__
#include "description.h"
#include "machine/cpu.h"
#endif

#ifdef HAS_CLIC
#define CONTROLLER_TEXT "machine mode, CLIC, "
#else
#define CONTROLLER_TEXT "machine mode, CLINT, "
#endif
#ifndef ARCH_TEXT
#define ARCH_TEXT CONTROLLER_TEXT "the kernel's port: a task yields by ecall"
#endif
#define ARCH_KERNEL_TICK_BITS 32

/* The port does not start the kernel tick (stacks/freertos/FreeRTOSConfig.h). */
#define configMTIME_BASE_ADDRESS 0
#define configMTIMECMP_BASE_ADDRESS 0
#define configCPU_CLOCK_HZ MACHINE_COUNTER_HZ
#define configISR_STACK_SIZE_WORDS 1024

/* A hart masks all interrupts or none: priorities are told and decide nothing. */
#define portPRIORITY_SHIFT 3
#define portLOWEST_USABLE_INTERRUPT_PRIORITY (configUNIQUE_INTERRUPT_PRIORITIES - 2)

#ifndef __ASSEMBLER__
/* vectors.S, port.S */
extern const char freertos_vectors_paper[];
/* What the port needs before its first task. */
void port_start(void);

static inline void arch_start(void) {
    port_start();
    set_vectors((uintptr_t)freertos_vectors_paper);
}
#endif

#endif
