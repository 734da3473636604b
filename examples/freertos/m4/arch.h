/* A Cortex-M4. Interrupts that call the kernel have priorities from 0x40 on. */
#ifndef ARCH_H
#define ARCH_H

#include <stdint.h>

extern uint32_t SystemCoreClock;

#define configCPU_CLOCK_HZ SystemCoreClock
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#define configKERNEL_INTERRUPT_PRIORITY 0xE0
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0x40

#define END(line)                                                                                  \
    for (;;) {                                                                                     \
    }

#endif
