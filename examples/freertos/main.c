/* FreeRTOS as it is published, with its port for RISC-V and a CLINT: a task waits for a
 * notification, which the handler of line 0 gives. Addresses: docs/programs.md. */
#include "FreeRTOS.h"
#include "task.h"

#define OUTPUT (*(volatile uint32_t *)0x10012000) /* a plain register: it takes the line back */
#define LINE_0 16                                 /* cause of mcause */

static TaskHandle_t worker;
static volatile uint32_t answers;

__attribute__((noinline)) void answered(void) { answers++; }

/* What the port calls for an interrupt that is not its own. */
void freertos_risc_v_application_interrupt_handler(uint32_t cause) {
    BaseType_t woken = pdFALSE;
    configASSERT((cause & 0x7FFFFFFF) == LINE_0);
    OUTPUT = cause;
    vTaskNotifyGiveFromISR(worker, &woken);
    portYIELD_FROM_ISR(woken);
}

void vApplicationIdleHook(void) { __asm__ volatile("wfi"); }

static void work(void *nothing) {
    (void)nothing;
    __asm__ volatile("csrs mie, %0" ::"r"(1u << LINE_0));
    for (;;) {
        ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        answered();
    }
}

int main(void) {
    static StackType_t stack[256];
    static StaticTask_t task;
    worker = xTaskCreateStatic(work, "work", 256, NULL, 2, stack, &task);
    vTaskStartScheduler();
    return 0;
}
