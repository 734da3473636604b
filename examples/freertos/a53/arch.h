/* A Cortex-A53 of a Zynq UltraScale+: GIC-400, at EL3. Interrupts that call the kernel have
 * priorities from 18 on, of 32. */
#ifndef ARCH_H
#define ARCH_H

#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_64_BITS
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#define configINTERRUPT_CONTROLLER_BASE_ADDRESS 0xF9010000
#define configINTERRUPT_CONTROLLER_CPU_INTERFACE_OFFSET 0x10000
#define configUNIQUE_INTERRUPT_PRIORITIES 32
#define configMAX_API_CALL_INTERRUPT_PRIORITY 18
#define configUSE_TASK_FPU_SUPPORT 1

void tick_start(void);
void tick_next(void);
#define configSETUP_TICK_INTERRUPT() tick_start()
#define configCLEAR_TICK_INTERRUPT() tick_next()

#define END(line)                                                                                  \
    for (;;) {                                                                                     \
    }

#endif
