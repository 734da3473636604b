/* Configuration of the kernel. What could be otherwise in another build is in every run
 * (freertos.c): who changes it here changes it there. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "arch.h"
#include "machine/places.h"
#include "machine/timer.h"

/* Scheduler. The kernel tick's real rate is the experiment's. The kernel uses this one to turn ms
 * into kernel ticks, which nothing here asks for. */
#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 1
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#define configUSE_IDLE_HOOK 1
#define configUSE_TICK_HOOK 0
#define configTICK_RATE_HZ 1000
#define TICK_TYPE_OF(bits) TICK_TYPE_WIDTH_##bits##_BITS
#define TICK_TYPE(bits) TICK_TYPE_OF(bits)
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE(ARCH_KERNEL_TICK_BITS)
#define configMAX_PRIORITIES 8
#define configMINIMAL_STACK_SIZE 512
#define configSTACK_DEPTH_TYPE uint32_t
#define configMAX_TASK_NAME_LEN 16
#define configIDLE_SHOULD_YIELD 1

/* All memory is static. */
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
#define configKERNEL_PROVIDED_STATIC_MEMORY 0

/* Features. Tasks are woken by direct-to-task notification alone. */
#define configUSE_TASK_NOTIFICATIONS 1
#define configUSE_MUTEXES 0
#define configUSE_COUNTING_SEMAPHORES 0
#define configUSE_TIMERS 0
#define configUSE_CO_ROUTINES 0
#define configUSE_TRACE_FACILITY 0
#define configGENERATE_RUN_TIME_STATS 0
#define configCHECK_FOR_STACK_OVERFLOW 0

/* Port. No task has an FP context: the firmware is built without FP registers. */
#define configUSE_TASK_FPU_SUPPORT 1
#define configINTERRUPT_CONTROLLER_BASE_ADDRESS IRQ_CONTROLLER_BASE
#define configINTERRUPT_CONTROLLER_CPU_INTERFACE_OFFSET (IRQ_CORE_BASE - IRQ_CONTROLLER_BASE)
#define configUNIQUE_INTERRUPT_PRIORITIES 32
#define configMAX_API_CALL_INTERRUPT_PRIORITY 18

/* The kernel tick belongs to the case: cases/parts/timer_tick.c starts it, at a known phase to the
 * stimulus. */
#define configSETUP_TICK_INTERRUPT()
void freertos_clear_timer_tick(void);
#define configCLEAR_TICK_INTERRUPT() freertos_clear_timer_tick()

/* A failed assertion is an exception, which the firmware reports as any other. FREERTOS_LEAN: what
 * a published context switch may have been without (docs/cores.md). */
#ifdef FREERTOS_LEAN
#define ASSERTIONS_TEXT "no assertions"
#define configASSERT(condition) ((void)0)
#else
#define ASSERTIONS_TEXT "assertions"
#define configASSERT(condition)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            FAULT();                                                                               \
    } while (0)
#endif

#define INCLUDE_vTaskPrioritySet 0
#define INCLUDE_uxTaskPriorityGet 0
#define INCLUDE_vTaskDelete 0
#define INCLUDE_vTaskSuspend 1 /* a wait without end is one */
#define INCLUDE_vTaskDelayUntil 0
#define INCLUDE_vTaskDelay 0

#endif
