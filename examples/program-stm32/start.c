/* The table of vectors, and what comes before run(). */
#include <stdint.h>

extern uint32_t stack_top[], data_begin[], data_end[], data_from[], bss_begin[], bss_end[];
void run(void);
void start(void);
void exti15_10(void);

__attribute__((noreturn)) void start(void) {
    for (uint32_t *to = data_begin, *from = data_from; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_begin; to < bss_end;)
        *to++ = 0;
    run();
    for (;;) {
    }
}

__attribute__((noreturn)) static void unexpected(void) {
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 97])(void) = {
    (void (*)(void))stack_top, start, [2 ... 15] = unexpected, [16 ... 112] = unexpected,
    [16 + 40] = exti15_10,
};
