/* The table of vectors, and what comes before main(). */
#include "chip.h"

#define CPACR REGISTER(0xE000ED88)

extern uint32_t stack_top[], data_begin[], data_end[], data_from[], bss_begin[], bss_end[];
void vPortSVCHandler(void);
void xPortPendSVHandler(void);
void on_tick(void);
void on_edge(void);
void on_alarm(void);
int main(void);

__attribute__((noreturn)) void start(void) {
    for (uint32_t *to = data_begin, *from = data_from; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_begin; to < bss_end;)
        *to++ = 0;
    CPACR |= 0xFu << 20; /* FPU */
    main();
    for (;;) {
    }
}

__attribute__((noreturn)) static void unexpected(void) {
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 86])(void) = {
    (void (*)(void))stack_top,  start,
    [2 ... 101] = unexpected,   [11] = vPortSVCHandler,
    [14] = xPortPendSVHandler,  [15] = on_tick,
    [16 + EXTI0_IRQ] = on_edge, [16 + RTC_ALARM_IRQ] = on_alarm,
};
