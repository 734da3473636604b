#ifndef MACHINE_ZYNQMP_BOUND_TIMER_H
#define MACHINE_ZYNQMP_BOUND_TIMER_H

#include "arch/aarch64/timer.h"

#endif
