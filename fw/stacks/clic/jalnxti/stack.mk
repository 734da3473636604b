# Bare metal of a soft core with a CLIC, with another path to the handler.
MACHINES := clic
WHY_NO_OTHER := jalmnxti is a register of a CLIC
VECTORS := $(HERE)/vectors.S
STACK_SOURCES := $(HERE)/stack.c
