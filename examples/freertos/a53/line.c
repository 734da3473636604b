/* Line 0 and the kernel's tick on a Zynq UltraScale+. */
#include "line.h"

#define DISTRIBUTOR configINTERRUPT_CONTROLLER_BASE_ADDRESS
#define INTERFACE (DISTRIBUTOR + configINTERRUPT_CONTROLLER_CPU_INTERFACE_OFFSET)
#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define BYTE(address) (*(volatile uint8_t *)(uintptr_t)(address))

#define LINE_0 121
#define TICK 29            /* the secure physical timer */
#define COUNTER 0xFF260000 /* of the system, 100 MHz */
#define PERIOD (99990000 / configTICK_RATE_HZ)

/* The kernel's priority: the lowest. */
static void enable(unsigned id) {
    BYTE(DISTRIBUTOR + 0x400 + id) = (configUNIQUE_INTERRUPT_PRIORITIES - 2) << 3;
    if (id >= 32)
        BYTE(DISTRIBUTOR + 0x800 + id) = 1; /* for core 0 */
    REGISTER(DISTRIBUTOR + 0x100 + id / 32 * 4) = 1u << id % 32;
    REGISTER(DISTRIBUTOR) = 1;
    REGISTER(INTERFACE) = 1;
}

void line_start(void) {
    REGISTER(DISTRIBUTOR + 0xC00 + LINE_0 / 16 * 4) |= 2u << LINE_0 % 16 * 2; /* by rising edge */
    enable(LINE_0);
}

void tick_start(void) {
    REGISTER(COUNTER) = 1;
    __asm__ volatile("msr cntps_tval_el1, %0\n\tmsr cntps_ctl_el1, %1" ::"r"((uint64_t)PERIOD),
                     "r"(UINT64_C(1)));
    enable(TICK);
}

void tick_next(void) { __asm__ volatile("msr cntps_tval_el1, %0" ::"r"((uint64_t)PERIOD)); }

/* What the port calls with what it has acknowledged. It ends it itself. */
void vApplicationIRQHandler(uint32_t acknowledged) {
    if ((acknowledged & 0x3FF) == LINE_0)
        on_line();
    else if ((acknowledged & 0x3FF) == TICK)
        FreeRTOS_Tick_Handler();
}
