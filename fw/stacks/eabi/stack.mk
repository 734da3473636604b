# Bare metal of a soft core with another path to the handler.
VECTORS := stacks/eabi/rv32/vectors.S
STACK_SOURCES := stacks/eabi/stack.c
