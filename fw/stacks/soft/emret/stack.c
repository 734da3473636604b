#define STACK_NAME "emret"
#define STACK_CONFIGURATION                                                                        \
    "the core saves 16 registers, mcause and mepc, and swaps banks at mret; no kernel"
#define STACK_SAVING (SAVING_ON | SAVING_SWAPS)
#include "stacks/soft/fastirq/stack.c"
