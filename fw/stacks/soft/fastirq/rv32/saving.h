/* The core's own saving of registers at an interrupt (hw/irqscope_hw/fastirq). */
#ifndef STACKS_SOFT_FASTIRQ_RV32_SAVING_H
#define STACKS_SOFT_FASTIRQ_RV32_SAVING_H

#include <stdint.h>

#include "bound/addresses.h"
#include "lib/mmio.h"

/* From the next interrupt on; how: SAVING_ON, or with SAVING_SWAPS. */
static inline void saving_begin(uint32_t how) { mmio_write32(SAVING, how); }

#endif
