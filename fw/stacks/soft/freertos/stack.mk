# FreeRTOS on a soft core: the stack of stacks/freertos with the kernel's port for RISC-V.
#   make -C fw MACHINE=soft STACK=freertos [FREERTOS=DIR]
# PORT: what of the port is not the kernel's own.
MACHINES := soft
WHY_NO_OTHER := the kernel's port for RISC-V knows the CSRs of a core with a CLINT alone
# Its own files and those of stacks that begin with it (freertos-pended, freertos-fastirq) are beside those of:
SHARES := freertos soft/freertos
PORT ?= freertos/kernel/portASM.S stacks/soft/freertos/rv32/vectors.S stacks/soft/freertos/port.c stacks/freertos/freertos.c
STACK_SOURCES := $(addprefix stacks/freertos/,handlers.c cases/switch.c cases/code_under_test.c) stacks/soft/freertos/glue.c $(PORT) \
    $(addprefix freertos/kernel/,tasks.c list.c port.c)
KERNEL := $(BUILD)/freertos/kernel
STACK_OBJECTS := $(call objects,$(STACK_SOURCES))

NO_KERNEL := $(shell python stacks/soft/freertos/kernel.py $(BUILD) $(ARCH) $(FREERTOS) 2>&1)
ifneq ($(NO_KERNEL),)
$(error $(NO_KERNEL))
endif

# Two stacks differ in the kernel's configuration: their objects do not share a folder.
$(STACK_OBJECTS): CPPFLAGS += -Istacks/soft/freertos -Istacks/freertos -isystem stacks/freertos/libc -isystem $(KERNEL)/include -isystem $(KERNEL)

# Foreign sources: their warnings are not ours to mend.
$(filter $(KERNEL)/%,$(STACK_OBJECTS)): CFLAGS += -w

$(KERNEL)/%.c.o: $(KERNEL)/%.c Makefile
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(KERNEL)/%.S.o: $(KERNEL)/%.S Makefile
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
