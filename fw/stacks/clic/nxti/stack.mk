# Bare metal of a soft core with a CLIC, with another path to the handler.
VECTORS := stacks/clic/nxti/vectors.S
STACK_SOURCES := stacks/clic/nxti/stack.c
