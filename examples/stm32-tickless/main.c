/* "Tickless scheduling latency" (A. Suutari) with FreeRTOS: four pins tell tick, wake-up,
 * oscillator and task apart. With its tick on, each tick wakes the task; tickless, the alarm of the
 * RTC does so 150 ms after the last time. An edge at PA0 wakes it at any time. */
#include "FreeRTOS.h"
#include "chip.h"
#include "task.h"

#define WAIT (configUSE_TICKLESS_IDLE ? pdMS_TO_TICKS(150) : 1)

static TaskHandle_t worker;
static volatile uint32_t answers;

void xPortSysTickHandler(void);

void on_tick(void) {
    raise_pin(TICK);
    xPortSysTickHandler();
    lower_pin(TICK);
}

void on_edge(void) {
    BaseType_t woken = pdFALSE;
    EXTI_PR = 1u << 0;
    vTaskNotifyGiveFromISR(worker, &woken);
    portYIELD_FROM_ISR(woken);
}

__attribute__((noinline)) void answered(void) { answers++; }

static void start_devices(void) {
    RCC_AHB1ENR |= 1u << 0 | 1u << 1; /* GPIOA, GPIOB */
    RCC_APB1ENR |= 1u << 28;          /* PWR */
    RCC_APB2ENR |= 1u << 14;          /* SYSCFG, which has EXTI0 at PA0 after reset */
    GPIOB_MODER = (GPIOB_MODER & 0xFFFFFF) | 0x55u << 24;
    EXTI_RTSR |= 1u << 0;
    EXTI_IMR |= 1u << 0;
    NVIC_IPR(EXTI0_IRQ) = 0x80;
    NVIC_ISER0 = 1u << EXTI0_IRQ;
}

__attribute__((noinline)) void ready(void) { __asm__ volatile(""); }

static void work(void *nothing) {
    (void)nothing;
    start_devices();
    if (configUSE_TICKLESS_IDLE) {
        start_rtc();
        while (!(RCC_BDCR & 1u << 1)) /* LSE: about 2 s */
            vTaskDelay(pdMS_TO_TICKS(100));
        use_rtc();
    }
    ready();
    for (;;) {
        uint32_t edges = ulTaskNotifyTake(pdTRUE, WAIT);
        raise_pin(TASK);
        if (edges)
            answered();
        GPIOB_BSRR = (1u << TASK | 1u << OSCILLATOR | 1u << WAKE_UP) << 16;
    }
}

int main(void) {
    static StackType_t stack[256];
    static StaticTask_t task;
    set_clocks();
    worker = xTaskCreateStatic(work, "work", 256, NULL, 2, stack, &task);
    vTaskStartScheduler();
    return 0;
}
