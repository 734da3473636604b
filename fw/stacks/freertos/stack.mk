# FreeRTOS. The kernel's sources are fetched (kernel.py), or come from a copy of one's own:
#   make -C fw STACK=freertos [FREERTOS=DIR]
MACHINES := zynqmp zynq7000
STACK_SOURCES := $(addprefix $(HERE)/,$(ARCH)/vectors.S handlers.c freertos.c cases/switch.c cases/code_under_test.c) \
    $(addprefix freertos/kernel/,tasks.c list.c port.c portASM.S)
KERNEL := $(BUILD)/freertos/kernel
STACK_OBJECTS := $(call objects,$(STACK_SOURCES))

NO_KERNEL := $(shell python $(HERE)/kernel.py $(BUILD) $(ARCH) $(FREERTOS) 2>&1)
ifneq ($(NO_KERNEL),)
$(error $(NO_KERNEL))
endif

$(STACK_OBJECTS): CPPFLAGS += -I$(HERE) -I$(HERE)/$(ARCH) -isystem $(HERE)/libc -isystem $(KERNEL)/include -isystem $(KERNEL)

# Foreign sources: their warnings are not ours to mend. The port saves the FP registers of tasks that
# have such a context, which is none; the assembler has to know them all the same, of the Cortex-A9's
# port in its C source too.
NAMES_FP := $(KERNEL)/portASM.S.o $(if $(filter arm32,$(ARCH)),$(KERNEL)/port.c.o)
$(filter $(KERNEL)/%,$(STACK_OBJECTS)): CFLAGS += -w
$(NAMES_FP): CFLAGS := $(subst $(TARGET),$(TARGET_WITH_FP),$(CFLAGS))

$(KERNEL)/%.c.o: $(KERNEL)/%.c Makefile
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(KERNEL)/%.S.o: $(KERNEL)/%.S Makefile
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
