#ifndef MACHINE_PICORV32_BOUND_CPU_H
#define MACHINE_PICORV32_BOUND_CPU_H

#include "arch/picorv32/cpu.h"
#include "bound/addresses.h"

#endif
