/* FreeRTOS with a switch that is an interrupt; all but its port and its name is stacks/freertos. */
#ifndef STACK_NAME
#define STACK_NAME "freertos-pended"
#define ARCH_TEXT CONTROLLER_TEXT "own port: a switch is an interrupt, software saves"
#define STACK_BEGIN()
#endif

#include "stacks/freertos/freertos.c"

void port_start(void) {
    STACK_BEGIN();
    irq_configure(VECTOR_SOFTWARE, IRQ_PRIORITY_LAST, 1, IRQ_BY_LEVEL);
    irq_enable(VECTOR_SOFTWARE);
}
