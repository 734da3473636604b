/* Line 0 on a soft core. */
#include "line.h"

#define OUTPUT (*(volatile uint32_t *)0x10012000) /* a plain register: it takes the line back */
#define LINE_0 16                                 /* cause of mcause */

void line_start(void) { __asm__ volatile("csrs mie, %0" ::"r"(1u << LINE_0)); }

/* What the port calls for an interrupt that is not its own. */
void freertos_risc_v_application_interrupt_handler(uint32_t cause) {
    configASSERT((cause & 0x7FFFFFFF) == LINE_0);
    OUTPUT = cause;
    on_line();
}
