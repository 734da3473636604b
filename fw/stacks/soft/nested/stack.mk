# Bare metal whose handlers nest.
VECTORS := stacks/soft/nested/vectors.S
STACK_SOURCES := stacks/soft/nested/stack.c
