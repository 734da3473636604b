ARCH := arm32
IRQCHIP := gic
GCC := arm-none-eabi-gcc

# No handler saves FP registers: soft float, so that there is no FP or SIMD instruction. Accesses are
# aligned, for as long as the MMU is off. Arm instructions, not Thumb: a vector path has no state to
# change. The cores have no division: that is a function of the compiler's library.
ifneq ($(findstring zig,$(CC)),)
TARGET := -target arm-freestanding-eabi -mcpu=cortex_a9-neon-vfp3-fp16+strict_align
LIBRARIES := -lcompiler_rt
else
TARGET := -mcpu=cortex-a9 -marm -mfloat-abi=soft -mno-unaligned-access
LIBRARIES := -lgcc
endif
# For assembly that names FP registers, and for code that has such assembly in it.
TARGET_WITH_FP := $(subst -neon-vfp3-fp16,,$(subst -mfloat-abi=soft,-mfloat-abi=softfp -mfpu=vfpv3,$(TARGET)))
CODE_MODEL := -fno-unwind-tables -fomit-frame-pointer

# What is copied as one piece finds its parts by their distance.
PIECE_FLAGS := -fpic
MACHINE_SOURCES :=
LOCKDOWN := machine/zynq7000/lockdown.c
