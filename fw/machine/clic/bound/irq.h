/* The interrupt interface (machine/irq.h), bound to a CLIC. */
#ifndef MACHINE_CLIC_BOUND_IRQ_H
#define MACHINE_CLIC_BOUND_IRQ_H

#include "irqchip/clic/clic.h"
#include "machine/soft/bound/sources.h"

#endif
