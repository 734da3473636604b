# A soft core: one hart, without caches, translation or trace.
ARCH := rv32
GCC := riscv64-unknown-elf-gcc

# No compressed instructions: the paths that are measured are counted in words.
ifneq ($(findstring zig,$(CC)),)
TARGET := -target riscv32-freestanding-none -mcpu=generic_rv32+m+zicsr
LIBRARIES := -lcompiler_rt
else
TARGET := -march=rv32im_zicsr -mabi=ilp32
LIBRARIES := -lgcc
endif
CODE_MODEL := -mcmodel=medlow

CONTROLLER := irqchip/clint/clint.c machine/soft/priorities.c
# CAUSES=shared: a core with one cause for all inputs, mtvec in direct mode, and no multiplier.
ifeq ($(CAUSES),shared)
ifeq ($(filter $(notdir $(STACK)),baremetal eabi least),)
$(error $(STACK): its path needs a cause for each input; CAUSES=shared has none)
endif
TARGET := $(subst +m+,+,$(subst rv32im_,rv32i_,$(TARGET)))
CODE_MODEL += -DSHARED_CAUSE
CONTROLLER := irqchip/shared/shared.c machine/soft/priorities.c
endif
STATE := soft

# Stacks that no other machine can run.
override STACK := $(if $(wildcard stacks/soft/$(STACK)/stack.mk),soft/)$(STACK)

# What is before the measured marker is the stack's: its vectors, unless its stack.mk has others.
VECTORS = stacks/baremetal/rv32/vectors.S
# What another system around a core may have of its own.
UART := machine/soft/uart.c
IRQSCOPE = arch/rv32/entry.S arch/$(ARCH)/vectors.S $(CONTROLLER) lib/memory.c boot/main.c \
    $(addprefix machine/soft/,system.c cores.c) $(UART) machine/$(STATE)/state.c link/cobs.c link/crc32.c link/link.c stacks/load.c \
    $(VECTORS) $(addprefix stacks/baremetal/,rv32/idle.S handlers.c baremetal.c) \
    $(addprefix cases/parts/,cores.c ending.c background.c handling.c warm_up.c origin.c raising.c timer_tick.c waiting.c) \
    $(addprefix cases/,latency.c calibration.c stack_check.c gateware.c checks.c validity.c case.c) $(REQUESTS) \
    lib/registers.c cases/placement.c cases/code_under_test.c \
    $(addprefix cases/parts/,phase.c sleeping.c) cases/external.c
SELFTEST :=
BAREMETAL_CASES :=
