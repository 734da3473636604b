#include "stacks/soft/fastirq/rv32/saving.h"

#define STACK_NAME "freertos-fastirq"
#define ARCH_TEXT CONTROLLER_TEXT "own port: a switch is an interrupt, the core saves"
#define STACK_BEGIN() saving_begin(SAVING_ON)
#include "stacks/soft/freertos-pended/stack.c"
