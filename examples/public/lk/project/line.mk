# LK for the Zybo, loaded to DDR as its p_paddr says, with app/line and without a network.
LOCAL_DIR := $(GET_LOCAL_DIR)

TARGET := zybo
WITH_SMP := 0
ZYNQ_USE_SRAM := 0
ZYNQ_WITH_GEM_ETH := 0

MODULES += app/line lib/minip
