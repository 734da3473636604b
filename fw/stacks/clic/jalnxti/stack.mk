# Bare metal of a soft core with a CLIC, with another path to the handler.
VECTORS := stacks/clic/jalnxti/vectors.S
STACK_SOURCES := stacks/clic/jalnxti/stack.c
