# PicoRV32 in an FPGA (hw/irqscope_hw/ecp5): all of machine/picorv32 but the memory, which is small, and a
# UART that has bits.
include machine/picorv32/machine.mk
CODE_MODEL := -Imachine/picorv32 $(CODE_MODEL)
UART := machine/ecp5/uart.c
OPTIMISE := -Os
# As the description has it.
SIZE_OF_MEMORY := -e 's/LENGTH = .*/LENGTH = $(shell sed -n 's/^.define MACHINE_DDR_SIZE //p' generated/ecp5/description.h)/'
