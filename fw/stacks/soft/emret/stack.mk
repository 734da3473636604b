# Bare metal of a core that saves registers itself, and takes them back by swapping banks.
VECTORS := stacks/soft/emret/vectors.S
STACK_SOURCES := stacks/soft/emret/stack.c
