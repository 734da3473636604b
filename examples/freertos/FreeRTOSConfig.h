/* Configuration of the kernel: all memory static. What differs by core is in arch.h. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include "arch.h"

#define configTICK_RATE_HZ 1000
#define configUSE_PREEMPTION 1
#define configUSE_IDLE_HOOK 1
#define configUSE_TICK_HOOK 0
#define configMAX_PRIORITIES 4
#define configMINIMAL_STACK_SIZE 256
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
#define configUSE_TASK_NOTIFICATIONS 1
#define configUSE_TIMERS 0
#define configUSE_MUTEXES 0
#define INCLUDE_vTaskSuspend 1

#define configASSERT(condition)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            END(__LINE__);                                                                         \
    } while (0)

#endif
