/* Configuration of the kernel: all memory static. Interrupts that call it have priorities from 0x40
 * on. configUSE_TICKLESS_IDLE comes from the Makefile; 2: with sleep.c. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

extern uint32_t SystemCoreClock;

#define configCPU_CLOCK_HZ SystemCoreClock
#define configTICK_RATE_HZ 1000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#define configKERNEL_INTERRUPT_PRIORITY 0xE0
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0x40
#define configUSE_PREEMPTION 1
#define configUSE_IDLE_HOOK 0
#define configUSE_TICK_HOOK 0
#define configMAX_PRIORITIES 4
#define configMINIMAL_STACK_SIZE 256
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
#define configUSE_TASK_NOTIFICATIONS 1
#define configUSE_TIMERS 0
#define configUSE_MUTEXES 0
#define INCLUDE_vTaskDelay 1
#define INCLUDE_vTaskSuspend 1

#define configASSERT(condition)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            for (;;) {                                                                             \
            }                                                                                      \
    } while (0)

#endif
