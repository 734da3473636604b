/* Between the port and the stack: what the one calls and the other defines. */
#include "machine/irq.h"
#include "stacks/freertos/freertos.h"

void vApplicationIRQHandler(uint32_t iar);
void vPortSetupTimerInterrupt(void);
void freertos_risc_v_application_interrupt_handler(uint32_t mcause);

/* The tick is the case's (cases/parts/tick.c). */
void vPortSetupTimerInterrupt(void) {}

/* By the port, on the handlers' stack. What software made pending is taken back. */
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
