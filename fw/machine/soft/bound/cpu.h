#ifndef MACHINE_SOFT_BOUND_CPU_H
#define MACHINE_SOFT_BOUND_CPU_H

#include "arch/rv32/cpu.h"
#include "bound/addresses.h"

#endif
