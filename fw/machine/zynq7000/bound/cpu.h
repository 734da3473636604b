#ifndef MACHINE_ZYNQ7000_BOUND_CPU_H
#define MACHINE_ZYNQ7000_BOUND_CPU_H

#include "arch/arm32/cpu.h"
#include "bound/addresses.h"

#endif
