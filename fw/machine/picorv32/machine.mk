# PicoRV32: all of machine/soft but what traps and interrupts are.
include machine/soft/machine.mk
ARCH := picorv32
TARGET := $(TARGET:%+zicsr=%)
TARGET := $(TARGET:%_zicsr=%)
CONTROLLER := irqchip/picorv32/picorv32.c machine/soft/priorities.c
STATE := picorv32
# Headers that are not here are those of machine/soft.
CODE_MODEL += -Imachine/soft
