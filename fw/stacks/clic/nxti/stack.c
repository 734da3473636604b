#define STACK_NAME "nxti"
#define STACK_CONFIGURATION                                                                        \
    "integer ABI: 16 registers, mcause and mepc before mnxti finds the handler; no kernel"
#include "stacks/baremetal/stack.c"
