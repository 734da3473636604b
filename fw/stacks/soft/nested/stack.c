#define STACK_NAME "nested"
#define STACK_CONFIGURATION                                                                        \
    "integer ABI: 16 registers, mcause and mepc by software; the timer tick's handler can be "     \
    "interrupted; no kernel"
#include "stacks/baremetal/stack.c"
