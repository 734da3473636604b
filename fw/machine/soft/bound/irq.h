#ifndef MACHINE_SOFT_BOUND_IRQ_H
#define MACHINE_SOFT_BOUND_IRQ_H

#ifdef SHARED_CAUSE
#include "irqchip/shared/shared.h"
#else
#include "irqchip/clint/clint.h"
#endif
#include "machine/soft/bound/sources.h"

#endif
