#define STACK_NAME "eabi"
#define STACK_CONFIGURATION                                                                        \
    "embedded ABI: 7 registers, mcause and mepc before the handler; no kernel"
#include "stacks/baremetal/stack.c"
