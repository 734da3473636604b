# Bare metal beyond what runs on the other cores in every program (Makefile, OTHER_CORES).
MACHINES := zynqmp zynq7000 soft clic picorv32 ecp5
WHY_NO_OTHER := nobody has written its vectors
BAREMETAL_CASES ?= $(addprefix $(HERE)/cases/,$(ARCH)/accesses.S cache_state.c random_load.c warming.c) \
    $(if $(LOCKDOWN),$(HERE)/cases/locking.c)
STACK_SOURCES := $(HERE)/stack.c $(BAREMETAL_CASES)
