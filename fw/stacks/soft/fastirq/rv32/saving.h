/* Registers that the core saves itself at an interrupt (hw/irqscope_hw/fastirq). */
#ifndef STACKS_SOFT_FASTIRQ_RV32_SAVING_H
#define STACKS_SOFT_FASTIRQ_RV32_SAVING_H

#include <stdint.h>

#include "bound/addresses.h"
#include "lib/mmio.h"

/* The core saves registers from the next interrupt on; `how` is SAVING_ON, or that with
 * SAVING_SWAPS. */
static inline void saving_begin(uint32_t how) { mmio_write32(SAVING, how); }

#endif
