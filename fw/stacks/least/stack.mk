# Bare metal of a soft core with another path to the handler.
VECTORS := stacks/least/rv32/vectors.S
STACK_SOURCES := stacks/least/stack.c
