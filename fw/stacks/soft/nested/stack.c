#include "stacks/soft/nested/nested.h"

#define STACK_NAME "nested"
#define STACK_CONFIGURATION                                                                        \
    "integer ABI: 16 registers, mcause and mepc by software; the timer tick's handler can be "     \
    "interrupted by " BY_WHOM "; no kernel"
#define STACK_NESTS true
#include "stacks/baremetal/stack.c"
