#define STACK_NAME "nested-fastirq"
#define STACK_CONFIGURATION                                                                        \
    "the core saves 16 registers, mcause and mepc; the timer tick's handler can be interrupted; "  \
    "no "                                                                                          \
    "kernel"
#define STACK_SAVING SAVING_ON
#include "stacks/soft/fastirq/stack.c"
