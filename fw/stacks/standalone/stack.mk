# The way of the vendor's standalone BSP. BSP names the release whose vector it has, where they differ:
#   make -C fw STACK=standalone           6.6 of 2018 and later: FP trapped, ISB behind that
#   make -C fw STACK=standalone BSP=6.2   6.2 to 6.5: FP trapped, no ISB
#   make -C fw STACK=standalone BSP=6.1   up to 6.1: nothing of FP
# FP=1: the measured handler uses an FP register first, so that the trap saves them all.
MACHINES := zynqmp
WHY_NO_OTHER := it is written after the vendor's vector for AArch64 alone
BSP ?= 6.6
FP ?= 0
ifeq ($(filter $(BSP)-$(FP),6.6-0 6.6-1 6.2-0 6.2-1 6.1-0),)
$(error stacks/standalone: BSP is 6.6, 6.2 or 6.1, and FP 0 or 1; BSP=6.1 has no FP)
endif
STACK_SOURCES := $(addprefix $(HERE)/,$(ARCH)/vectors.S $(ARCH)/wait.S dispatch.c handlers.c standalone.c)
STACK_OBJECTS := $(call objects,$(STACK_SOURCES))

$(STACK_OBJECTS): $(BUILD)/standalone/variant.h
$(STACK_OBJECTS): CPPFLAGS += -include $(BUILD)/standalone/variant.h

define VARIANT
#define STANDALONE_BSP "$(BSP)"
#define STANDALONE_TRAPS_FP $(if $(filter 6.1,$(BSP)),0,1)
#define STANDALONE_ISB $(if $(filter 6.6,$(BSP)),1,0)
#define STANDALONE_FP_IN_HANDLER $(FP)
endef
export VARIANT
$(BUILD)/standalone/variant.h: FORCE
	@mkdir -p $(@D)
	@echo "$$VARIANT" | cmp -s - $@ || echo "$$VARIANT" > $@
