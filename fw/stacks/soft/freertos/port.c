/* Completes the kernel's own port, which leaves a handler by way of the task that is chosen. */
#include "stacks/freertos/freertos.h"

void port_start(void) {}

void port_yield_from_isr(void) { vTaskSwitchContext(); }
