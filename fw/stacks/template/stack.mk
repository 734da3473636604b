MACHINES := zynqmp
WHY_NO_OTHER := its vector is written for AArch64
STACK_SOURCES := $(addprefix $(HERE)/,$(ARCH)/vectors.S template.c)
