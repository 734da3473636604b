ARCH := aarch64
IRQCHIP := gic
GCC := aarch64-linux-gnu-gcc
MEMORIES := ocm
# Boards whose link is UART1.
BOARDS_BY_UART1 := kv260

# No handler saves FP registers, so there must be no FP or SIMD instruction, and MMU-less start-up
# needs aligned accesses. zig takes both from -mcpu only, and a named Cortex-A53 brings SIMD back.
# The ZCU102's cores are r0p4: errata 835769 (multiply-accumulate) and 843419 (ADRP at the end of a
# page) apply. Against the second, addresses are taken by ADR, which reaches all of the program's 1 MB
# (code model tiny); a test looks for the pattern.
ifneq ($(findstring zig,$(CC)),)
TARGET := -target aarch64-freestanding-none \
    -mcpu=generic-neon-fp_armv8+el3+strict_align+fix_cortex_a53_835769
else
TARGET := -mcpu=cortex-a53 -mgeneral-regs-only -mstrict-align -mfix-cortex-a53-835769
endif
# For assembly that names FP registers without using them.
TARGET_WITH_FP := $(subst -neon-fp_armv8,,$(filter-out -mgeneral-regs-only,$(TARGET)))
CODE_MODEL := -mcmodel=tiny

PIECE_FLAGS := # addresses are taken by ADR
MACHINE_SOURCES := $(addprefix machine/zynqmp/,etf.c stm.c)
LIBRARIES :=
