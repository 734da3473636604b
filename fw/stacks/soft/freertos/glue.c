/* Binds the port to the stack: each defines what the other calls. */
#include "machine/irq.h"
#include "stacks/freertos/freertos.h"

void vApplicationIRQHandler(uint32_t iar);
void vPortSetupTimerInterrupt(void);
void freertos_risc_v_application_interrupt_handler(uint32_t mcause);

/* The kernel tick belongs to the case (cases/parts/timer_tick.c). */
void vPortSetupTimerInterrupt(void) {}

/* The port calls it, on the call stack of handlers. It takes back what software made pending. */
void freertos_risc_v_application_interrupt_handler(uint32_t mcause) {
    uint32_t id = mcause & (IRQ_IDS - 1);
    irq_clear_pending(id);
    vApplicationIRQHandler(id);
}

void FreeRTOS_Tick_Handler(void) {
    configCLEAR_TICK_INTERRUPT();
    if (xTaskIncrementTick() != pdFALSE)
        port_yield_from_isr();
}

#ifdef FREERTOS_LEAN
const unsigned char freertos_highest_bit[256] = {
    [2 ... 3] = 1,   [4 ... 7] = 2,    [8 ... 15] = 3,    [16 ... 31] = 4,
    [32 ... 63] = 5, [64 ... 127] = 6, [128 ... 255] = 7,
};
#endif
