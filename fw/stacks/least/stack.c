#define STACK_NAME "least"
#define STACK_CONFIGURATION "one register before the handler; no kernel"
#include "stacks/baremetal/stack.c"
