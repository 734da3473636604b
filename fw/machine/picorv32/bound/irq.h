/* The interrupt interface (machine/irq.h), bound to the core's own controller. */
#ifndef MACHINE_PICORV32_BOUND_IRQ_H
#define MACHINE_PICORV32_BOUND_IRQ_H

#include "irqchip/picorv32/picorv32.h"
#include "machine/soft/bound/sources.h"

#endif
