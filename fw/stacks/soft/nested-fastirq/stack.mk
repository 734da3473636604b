# Bare metal whose handlers nest.
VECTORS := stacks/soft/nested-fastirq/vectors.S
STACK_SOURCES := stacks/soft/nested-fastirq/stack.c
