/* FreeRTOS as it is published: a task waits for a notification, which the handler of line 0 gives.
 * Addresses: docs/programs.md. */
#include "line.h"

static TaskHandle_t worker;
static volatile uint32_t answers;

__attribute__((noinline)) void answered(void) { answers++; }

__attribute__((noinline)) void on_line(void) {
    BaseType_t woken = pdFALSE;
    vTaskNotifyGiveFromISR(worker, &woken);
    portYIELD_FROM_ISR(woken);
}

void vApplicationIdleHook(void) { __asm__ volatile("wfi"); }

static void work(void *nothing) {
    (void)nothing;
    line_start();
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
