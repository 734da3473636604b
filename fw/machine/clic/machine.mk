# A soft core with a CLIC: all of machine/soft but the interrupt controller.
include machine/soft/machine.mk
CONTROLLER := irqchip/clic/clic.c
# Headers that are not here are those of machine/soft.
CODE_MODEL += -Imachine/soft
# What only a CLIC can do is in stacks/clic: STACK=nxti is stacks/clic/nxti.
ifneq ($(wildcard stacks/clic/$(STACK)/stack.mk),)
override STACK := clic/$(STACK)
endif
# Its levels are priorities of lines with interrupts of their own.
IRQSCOPE += cases/parts/line_interrupts.c stacks/baremetal/line_handlers.c
