#define STACK_NAME "jalnxti"
#define STACK_CONFIGURATION                                                                        \
    "integer ABI: 16 registers, mcause and mepc before jalmnxti calls the handler; no kernel"
#include "stacks/baremetal/stack.c"
