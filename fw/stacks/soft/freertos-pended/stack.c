/* FreeRTOS with a switch that is an interrupt; all but port and name is that of stacks/freertos. */
#ifndef STACK_NAME
#define STACK_NAME "freertos-pended"
#define ARCH_TEXT "machine mode, CLINT, own port: a switch is an interrupt, software saves"
#define STACK_BEGIN()
#endif

#define stack_description freertos_description
#include "stacks/freertos/freertos.c"
#undef stack_description

const struct stack stack_description = {
    .name = STACK_NAME,
    .version = tskKERNEL_VERSION_NUMBER,
    .configuration = CONFIGURATION,
    .fields = USES(MARKERS) | USES(CORES) | USES(PAGES) | USES(LEAD_IN) | USES(FURTHER) |
              USES(RAISE_PERIOD) | USES(TICK_PERIOD) | USES(ARRAY_KIB) | USES(LOAD_SEED),
    .wake_priority = API_PRIORITY,
    .tick_priority = PRIORITY_TICK,
};

void port_start(void) {
    STACK_BEGIN();
    irq_enable(VECTOR_SOFTWARE);
}
