#include "stacks/soft/nested/nested.h"

#define STACK_NAME "nested-fastirq"
#define STACK_CONFIGURATION                                                                        \
    "the core saves 16 registers, mcause and mepc; the timer tick's handler can be interrupted "   \
    "by " BY_WHOM "; no kernel"
#define STACK_SAVING SAVING_ON
#define STACK_NESTS true
#include "stacks/soft/fastirq/stack.c"
