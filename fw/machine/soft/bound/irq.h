#ifndef MACHINE_SOFT_BOUND_IRQ_H
#define MACHINE_SOFT_BOUND_IRQ_H

#include "irqchip/clint/clint.h"
#include "machine/soft/bound/sources.h"

#endif
