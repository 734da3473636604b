/* Line 0: interrupt 16, which both chips have. The table of vectors, and what comes before main().
 */
#include "line.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define NVIC_ISER0 REGISTER(0xE000E100)
#define NVIC_IPR4 REGISTER(0xE000E410)
#define CPACR REGISTER(0xE000ED88)
#define LINE_0 16

extern uint32_t stack_top[], data_begin[], data_end[], data_from[], bss_begin[], bss_end[];
void vPortSVCHandler(void);
void xPortPendSVHandler(void);
void xPortSysTickHandler(void);
void set_clocks(void);
int main(void);

void line_start(void) {
    NVIC_IPR4 = 0x80; /* priority of interrupt 16 */
    NVIC_ISER0 = 1u << LINE_0;
}

__attribute__((noreturn)) void start(void) {
    for (uint32_t *to = data_begin, *from = data_from; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_begin; to < bss_end;)
        *to++ = 0;
    CPACR |= 0xFu << 20; /* FPU */
    set_clocks();
    main();
    END(0)
}

__attribute__((noreturn)) static void unexpected(void) { END(0) }

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void))stack_top,  start,
    [2 ... 10] = unexpected,    [11] = vPortSVCHandler,
    [12 ... 13] = unexpected,   [14] = xPortPendSVHandler,
    [15] = xPortSysTickHandler, [16 ... 16 + LINE_0 - 1] = unexpected,
    [16 + LINE_0] = on_line,
};
