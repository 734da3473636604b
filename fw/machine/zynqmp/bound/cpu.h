#ifndef MACHINE_ZYNQMP_BOUND_CPU_H
#define MACHINE_ZYNQMP_BOUND_CPU_H

#include "arch/aarch64/cpu.h"
#include "bound/addresses.h"

#endif
