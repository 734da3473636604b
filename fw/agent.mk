# The agent for Linux on a board: the link and the cases of the firmware, in a static program (musl).
#   make -C fw -f agent.mk                 build/fw-linux/irqscope-agent-aarch64, for the boards
#   make -C fw -f agent.mk CPU=x86_64      the same program for a simulation on this computer

.DELETE_ON_ERROR:

include compiler_cache.mk
ifneq ($(wildcard ../.venv/bin/python),)
export PATH := $(abspath ../.venv/bin):$(PATH)
endif
CPU ?= aarch64
BUILD := ../build/fw-linux
OBJECTS := $(BUILD)/$(CPU)
PROGRAM := $(BUILD)/irqscope-agent-$(CPU)
CC := python -m ziglang cc

# Its pins and interrupts are those of this machine.
MACHINE := zynqmp

REQUESTS := cases/requests.c $(addprefix cases/requests/,link.c settings.c case.c results.c checks.c)
PARTS := $(addprefix cases/parts/,cores.c ending.c origin.c phase.c sleeping.c timer_tick.c waiting.c)
SOURCES := boot/main.c $(addprefix machine/linux/,start.c lines.c hook.c programs.c kernel.c socket.c refuse.c system.c) machine/zynq/emio.c lib/registers.c \
    $(addprefix link/,cobs.c crc32.c link.c) $(addprefix stacks/uio/,stack.c alone.c) $(REQUESTS) $(PARTS) \
    $(addprefix cases/,thread.c calibration.c gateware.c checks.c validity.c case.c)

CPPFLAGS := -I. -Imachine/linux -Igenerated/$(MACHINE) -D_GNU_SOURCE -DPROGRAM_ON_CHIP=0 -DLINK_UART=2 -MMD -MP
CFLAGS := -target $(CPU)-linux-musl -std=gnu11 -O2 -g -ffile-prefix-map=$(CURDIR)=fw -fno-sanitize=undefined -pthread \
    -Wall -Wextra -Wshadow -Wconversion -Wundef -Wstrict-prototypes -Wmissing-prototypes -Werror
LDFLAGS := -target $(CPU)-linux-musl -static -pthread -Wl,--build-id=none -Wl,-T,agent.ld

.PHONY: all
all: $(PROGRAM)

objects = $(SOURCES:%=$(OBJECTS)/%.o)

$(PROGRAM): $(objects) agent.ld firmware_hash.py
	$(CC) $(LDFLAGS) $(objects) -o $@
	python firmware_hash.py $@

# main() of a firmware does not return and takes no words: start.c, which does, calls it.
$(OBJECTS)/boot/main.c.o: CPPFLAGS += -Dmain=firmware_main

$(OBJECTS)/%.c.o: %.c agent.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

-include $(objects:.o=.d)
