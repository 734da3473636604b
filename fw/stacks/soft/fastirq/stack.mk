# Bare metal of a core that saves registers itself.
VECTORS := stacks/soft/fastirq/vectors.S
STACK_SOURCES := stacks/soft/fastirq/stack.c
