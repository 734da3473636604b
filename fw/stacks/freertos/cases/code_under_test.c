/* code under test for the case PLACEMENT (cases/code_under_test.c): the task yields. It yields to
 * itself, as no other task is ready. */
#include "stacks/freertos/freertos.h"

void code_under_test_yield(void);
__attribute__((section(".code_under_test"), used, noinline)) void code_under_test_yield(void) {
    taskYIELD();
}
