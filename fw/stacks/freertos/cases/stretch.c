/* A stretch of code for the case PLACEMENT (cases/stretches.c): the task yields. It yields to
 * itself, as no other task is ready. */
#include "stacks/freertos/freertos.h"

void stretch_yield(void);
__attribute__((section(".stretches"), used, noinline)) void stretch_yield(void) { taskYIELD(); }
