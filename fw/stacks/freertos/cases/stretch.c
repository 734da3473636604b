/* A stretch of code for the case PLACEMENT (cases/stretches.c): the task yields, to itself, as it
 * is the only one that is ready. */
#include "stacks/freertos/freertos.h"

void stretch_yield(void);
__attribute__((section(".stretches"), used, noinline)) void stretch_yield(void) { taskYIELD(); }
