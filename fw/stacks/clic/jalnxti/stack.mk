# Bare metal of a soft core with a CLIC, with another path to the handler.
MACHINES := clic
WHY_NO_OTHER := jalmnxti is a register of a CLIC
VECTORS := stacks/clic/jalnxti/vectors.S
STACK_SOURCES := stacks/clic/jalnxti/stack.c
